/**
 * The last applied declaration, stored in a table. It records what a table cannot, such as that a text is a date, or a
 * pattern. Descriptions and row files are not part of it.
 */
import { BUILT_IN } from '../../collection/built-in.ts';
import type { Collection } from '../../collection/declaration.ts';
import {
  type CatalogueDraft,
  type CollectionDraft,
  type FieldDraft,
  type LinkDraft,
  VALUE_RULES,
} from '../../collection/draft.ts';

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
  'computed',
  'readOnly',
  'filled',
  'translates',
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

/** The recorded draft of a collection, as far as its table still matches it. */
export interface StoredColumn {
  readonly name: string;
  readonly required: boolean;
}

/**
 * Fields without a column are left out, and references to missing tables. A foreign column becomes a field if
 * `declared` names it. `typeOf` returns the type of a column whose field has a recorded or declared type.
 */
export function storedDraft<C extends StoredColumn>(
  draft: CollectionDraft,
  columns: readonly C[],
  tables: ReadonlySet<string>,
  declared: Collection | undefined,
  typeOf: (column: C, field: FieldDraft) => string,
): CollectionDraft {
  const added = columns.flatMap(({ name }): FieldDraft[] => {
    const field = declared?.byName.get(name);
    return field === undefined || draft.fields.some((each) => each.name === name)
      ? []
      : [{ name, type: field.type.name }];
  });
  const fields = [...draft.fields, ...added].flatMap((field) => {
    const column = columns.find(({ name }) => name === field.name);
    if (column === undefined) return [];
    const { references, ...rest } = { ...field, type: typeOf(column, field), required: column.required };
    return references !== undefined && tables.has(references.collection) ? [{ ...rest, references }] : [rest];
  });
  const isThere = (name: string) => fields.some((field) => field.name === name);
  const isLinkThere = (link: LinkDraft) => link.fields.every(isThere) && tables.has(link.collection);
  return {
    ...draft,
    fields,
    unique: (draft.unique ?? []).filter((names) => names.every(isThere)),
    references: (draft.references ?? []).filter(isLinkThere),
  };
}
