/**
 * Comments on the rows of a collection (`comments: product_comments`): a collection of its own, with a reference to
 * the row. So requests, the log, the feed and roles treat it like any other. A caller that cannot read a row cannot
 * read its comments, and people change only their own: see `plan/access/permissions.ts`.
 */
import { MAX_COMMENT_LENGTH } from '../base/limits/declaration.ts';
import type { Collection, Field } from './catalogue.ts';
import { derivedName } from './derived-name.ts';
import type { CollectionDraft, FieldDraft } from './draft.ts';
import { type Relation, relationsOf } from './relations.ts';

/** The field that refers to a field of the key. */
export const rowField = (key: string): string => `row_${key}`;

/** Comments are deleted with their row: `undo` restores both. */
export function commentsOn({ name: collection, key, fields }: CollectionDraft, name: string): CollectionDraft {
  const rows = key.map((each): FieldDraft => {
    const { type } = fields.find((field) => field.name === each)!;
    const references = key.length > 1 ? {} : { references: { collection, onDelete: 'cascade' } as const };
    return { name: rowField(each), type, required: true, ...references };
  });
  const names = rows.map((field) => field.name);
  const constraint = derivedName(name, ...names, 'fkey');
  return {
    name,
    commentsOn: collection,
    key: ['id'],
    ...(key.length > 1
      ? { references: [{ fields: names, collection, to: key, constraint, onDelete: 'cascade' as const }] }
      : {}),
    fields: [
      // Numbers would reveal how many comments exist on rows that a role does not see.
      { name: 'id', type: 'uuid', default: 'uuid' },
      ...rows,
      { name: 'text', type: 'text', required: true, maxLength: MAX_COMMENT_LENGTH, pattern: '\\S' },
      { name: 'author', type: 'text', readOnly: true, isAuthor: true },
      { name: 'created_at', type: 'timestamptz', default: 'now', readOnly: true, indexed: true },
      { name: 'edited_at', type: 'timestamptz', onUpdate: 'now', readOnly: true },
    ],
  };
}

/** The relation from a comment to its row; undefined for other collections. */
export function commentedRow(collection: Collection): Relation | undefined {
  const { commentsOn: on } = collection.draft;
  if (on === undefined) return undefined;
  return relationsOf(collection).find(({ to, outer, referring }) => to.name === on && outer === referring);
}

export function authorOf({ fields }: Collection): Field | undefined {
  return fields.find(({ isAuthor }) => isAuthor);
}
