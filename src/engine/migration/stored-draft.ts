/** The recorded draft of a collection, as far as its table still matches it. */
import type { Collection } from '../../collection/declaration.ts';
import type { CollectionDraft, FieldDraft, LinkDraft } from '../../collection/draft.ts';

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
