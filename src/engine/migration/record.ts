/**
 * The last applied declaration, stored in a table. It records what a table cannot, such as that a text is a date, or a
 * pattern. Descriptions and row files are not part of it.
 */
import { BUILT_IN } from '../../collection/built-in.ts';
import type { Collection } from '../../collection/declaration.ts';
import { type CatalogueDraft, type CollectionDraft, type FieldDraft, VALUE_RULES } from '../../collection/draft.ts';

export const RECORD_TABLE = 'catalogue_declaration';

/** Databases without a record contain the built-in catalogue. */
const UNRECORDED: CatalogueDraft = BUILT_IN.catalogue.draft;

const FIELD_PROPERTIES = [
  'name',
  'type',
  'required',
  'default',
  'unique',
  'indexed',
  'references',
  ...VALUE_RULES,
  'maxCount',
  'onUpdate',
  'readOnly',
  'filled',
] as const satisfies readonly (keyof FieldDraft)[];

/** Equal collections give equal texts. */
export function recordOf(collections: Iterable<Collection>): string {
  const drafts = [...collections].map(({ draft: { name, key, fields, unique, references } }) => {
    const enforced = references?.filter(({ onDelete }) => onDelete !== undefined) ?? [];
    const more = {
      ...(unique === undefined ? {} : { unique }),
      ...(enforced.length === 0 ? {} : { references: enforced }),
    };
    return { name, key, ...more, fields: fields.map(recordedField) };
  });
  return JSON.stringify({ collections: drafts } satisfies CatalogueDraft, (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

function recordedField(field: FieldDraft): FieldDraft {
  const isSaid = (property: keyof FieldDraft) =>
    field[property] !== undefined && (property === 'default' || field[property] !== false);
  const said = FIELD_PROPERTIES.filter(isSaid);
  return Object.fromEntries(said.map((property) => [property, field[property]])) as unknown as FieldDraft;
}

export function readRecord(text: string | undefined): readonly CollectionDraft[] {
  return (text === undefined ? UNRECORDED : (JSON.parse(text) as CatalogueDraft)).collections;
}
