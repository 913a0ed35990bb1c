/** A catalogue of PostgreSQL tables as SQLite can store it: types of PostgreSQL become text. */
import { defined } from '../../../base/defined.ts';
import { type Catalogue, declareCatalogue } from '../../../collection/declaration.ts';
import type { CollectionDraft, FieldDraft } from '../../../collection/draft.ts';
import { isOnlyAdopted, typeNamed } from '../../../collection/types/index.ts';

export interface Storable {
  readonly catalogue: Catalogue;
  /** The losses of the copy, one sentence each. */
  readonly notes: readonly string[];
}

export function withTextTypes(catalogue: Catalogue): Storable {
  const { draft } = catalogue;
  const notes: string[] = [];
  const textField = ({ name }: CollectionDraft, field: FieldDraft): FieldDraft => {
    if (!isOnlyAdopted(typeNamed(field.type)!)) return field;
    notes.push(
      `${name}.${field.name} is ${field.type}, which SQLite does not have. It is stored as text: declare it so`,
    );
    const { minimum: _, maximum: __, default: value, oneOf, ...rest } = field;
    return {
      ...rest,
      type: 'text',
      ...defined({ default: value === undefined ? undefined : String(value), oneOf: oneOf?.map(String) }),
    };
  };
  const collections = draft.collections.flatMap((each) => {
    if (each.key.length > 0) return [{ ...each, fields: each.fields.map((field) => textField(each, field)) }];
    notes.push(`${each.name} has no key. It is not copied`);
    return [];
  });
  return notes.length === 0 ? { catalogue, notes } : { catalogue: declareCatalogue({ ...draft, collections }), notes };
}
