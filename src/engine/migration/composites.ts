/** The indexes of references of several fields: deleting a row looks up its referrers. */
import type { Collection } from '../../collection/declaration.ts';
import { derivedName } from '../../collection/derived-name.ts';
import type { Index } from './changes.ts';

/** None if the key begins with these fields. */
export function compositeIndexes({ name, key, composites }: Collection): Index[] {
  return composites
    .filter(({ fields }) => fields.some((field, at) => key[at] !== field))
    .map(({ fields }) => ({ name: derivedName(name, ...fields.map((field) => field.name), 'idx'), fields }));
}
