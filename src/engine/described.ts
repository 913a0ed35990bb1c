/** Tables that something else made, as a declaration would have them, with what it cannot say in words for people. */
import type { CollectionDraft, FieldDraft } from '../collection/draft.ts';
import type { Notes } from '../declare/write.ts';
import { MAX_NAME_LENGTH } from '../limits.ts';

export interface DescribedCollection extends Notes {
  readonly draft: CollectionDraft;
}

export interface DescribedDatabase {
  /** For people; without secrets. */
  readonly location: string;
  readonly collections: readonly DescribedCollection[];
  /** Tables that cannot be declared, and why. */
  readonly leftOut: readonly string[];
}

/**
 * Tables of our own would have constraints and indexes that are called after the collection and the field. What would be called
 * as something else is, or by too long a name, is said in a note instead; the table has it all the same.
 */
export function withClearNames(collections: readonly DescribedCollection[]): DescribedCollection[] {
  const taken = new Set(collections.flatMap(({ draft: { name } }) => [name, `${name}_pkey`]));
  const isFree = (name: string) => name.length <= MAX_NAME_LENGTH && !taken.has(name) && taken.add(name).size > 0;
  return collections.map(({ draft, notes, fieldNotes }) => {
    const told = new Map(fieldNotes);
    const left: string[] = [];
    const fields = draft.fields.map((field) => {
      const clear = clearField(draft, field, isFree);
      const lost = Object.keys(field).filter((property) => !(property in clear));
      const before = told.get(field.name);
      const words = [
        ...(before === undefined ? [] : [before]),
        ...(lost.length === 0 ? [] : [`also ${lost.join(', ')}`]),
      ];
      if (words.length > 0) told.set(field.name, words.join('; '));
      return clear;
    });
    const unique = (draft.unique ?? []).filter((names) => {
      if (isFree(`${draft.name}_${names.join('_')}_key`)) return true;
      left.push(`unique: ${names.join(', ')}`);
      return false;
    });
    const { unique: _, ...rest } = draft;
    const clear = { ...rest, fields, ...(unique.length === 0 ? {} : { unique }) };
    return { draft: clear, notes: [...notes, ...left], fieldNotes: told };
  });
}

function clearField({ name, key }: CollectionDraft, field: FieldDraft, isFree: (name: string) => boolean): FieldDraft {
  const { unique, indexed, references, minimum, maximum, maxLength, pattern, oneOf, ...rest } = field;
  const called = (suffix: string) => isFree(`${name}_${field.name}${suffix}`);
  const rules = { minimum, maximum, maxLength, pattern, oneOf };
  const said = Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
  const constraint = references?.constraint;
  // What refers is indexed, too, unless the key begins with it.
  const hasIndex = indexed === true || (references !== undefined && key[0] !== field.name);
  const canIndex = !hasIndex || called('');
  const isNamed = constraint !== undefined && isFree(constraint);
  const canRefer = references !== undefined && canIndex && (isNamed || called('_fkey'));
  const { constraint: _, ...usual } = references ?? {};
  return {
    ...rest,
    ...(unique === true && called('_key') ? { unique } : {}),
    ...(indexed === true && canIndex ? { indexed } : {}),
    ...(canRefer ? { references: isNamed ? references : (usual as typeof references) } : {}),
    ...(Object.keys(said).length > 0 && called('_check') ? said : {}),
  };
}
