/** The collections that the role may read, from the declaration that the page carries, and their names for people. */
import { type Collection, declareCatalogue, type Field, type Reference } from '../../../collection/declaration.ts';
import type { CollectionDraft } from '../../../collection/draft.ts';
import { served } from '../../../collection/files.ts';
import { can } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { isLogicKey } from '../../../dialect/logic.ts';
import { capitalized, labelOf } from '../../../import/headers.ts';
import { hidesLog, pageData } from './session/page-data.ts';

export { isFlag as isYesNo } from '../../../import/flags.ts';
export type { Collection, Field, Value };
export { labelOf };
export type Row = Readonly<Record<string, Value>>;

/** Whether the role sees the key. The console identifies rows by it. */
const hasKey = ({ key, fields }: CollectionDraft) =>
  key.length > 0 && key.every((name) => fields.some((each) => each.name === name));

export const { version } = pageData;
const readable: readonly Collection[] = [
  ...served(declareCatalogue({ collections: pageData.collections.filter(hasKey) })).collections.values(),
];
/** A field with such a name cannot be distinguished from an expression of the address. */
export const collections = readable.filter(({ fields }) => !fields.some(({ name }) => isLogicKey(name)));
/** Names of the collections without pages. */
export const unshown = pageData.collections
  .map(({ name }) => name)
  .filter((name) => collectionNamed(name) === undefined);

export function collectionNamed(name: string): Collection | undefined {
  return collections.find((each) => each.name === name);
}

export function titleOfCollection({ title, name }: Pick<Collection, 'title' | 'name'>): string {
  return title ?? capitalized(name.replaceAll('_', ' '));
}

/** The field that names a row for people: the declared one, else the first required text. */
export function titleFieldOf({ fields, key }: Collection): Field | undefined {
  const isName = (field: Field) => isText(field) && field.required && field.rules.oneOf === undefined;
  return fields.find(({ role }) => role === 'title') ?? fields.find((each) => isName(each) && !key.includes(each));
}

/** Longer titles are truncated within a sentence. */
const LONG_TITLE = 80;

/** The title of a row, or its key. */
export function titleOf(collection: Collection, row: Row): string {
  const title = titleFieldOf(collection);
  const name = title === undefined ? undefined : row[title.name];
  if (name === undefined || name === null || name === '')
    return collection.key.map((each) => `${labelOf(each)} ${row[each.name]}`).join(', ');
  const letters = [...String(name)];
  return letters.length <= LONG_TITLE ? String(name) : `${letters.slice(0, LONG_TITLE).join('')}…`;
}

/** Whether a new row needs a value that the service does not fill in. */
export function isNeeded(collection: Collection, field: Field): boolean {
  if (!field.required || field === collection.assigned) return false;
  return field.default === undefined && field.generated === undefined && field.filled === false;
}

/** The help text of an input. A description that repeats the label is omitted. */
export function helpTextOf(field: Field): string | undefined {
  const { description = '', role } = field;
  const isInformative = description.replace('.', '').toLowerCase() !== labelOf(field).toLowerCase();
  return role !== 'flag' && isInformative && description !== '' ? description : undefined;
}

export const isNumeric = ({ type }: Field): boolean => can(type, 'number');
export const isText = ({ type }: Field): boolean => can(type, 'text');
/** Whether the number may have decimals. */
export const isDecimal = (field: Field): boolean => isNumeric(field) && field.type.schema.type !== 'integer';

/** The collection that a field refers to; undefined if it has no reference or the role does not see it. */
export function referenceOf({ references }: Collection, { name }: Field): Collection | undefined {
  const reference = references.find(({ field }) => field.name === name);
  return reference && collectionNamed(reference.to);
}

/** The field that another field translates, and into which language. */
export function translatedBy({ fields }: Collection, field: Field) {
  for (const of of fields)
    for (const [language, translation] of of.translations ?? [])
      if (translation.name === field.name) return { of, language };
  return undefined;
}

export const languagesOf = ({ fields }: Collection): readonly string[] => [
  ...new Set(fields.flatMap(({ translations }) => [...(translations?.keys() ?? [])])),
];

const isComments = ({ draft }: Collection): boolean => draft.commentsOn !== undefined;

/** The collections without those of comments, which the pages of rows show. */
export const mainCollections = collections.filter((each) => !isComments(each));

/** The collection of the comments on the rows of another. */
export const commentsOf = ({ name }: Collection): Collection | undefined =>
  collections.find(({ draft }) => draft.commentsOn === name);

/** References of other rows to the rows of a collection, without comments. */
export const relatedTo = (collection: Collection) => referrersOf(collection).filter(({ from }) => !isComments(from));

/** References of other rows to the rows of a collection. */
export function referrersOf({ name }: Collection): readonly (Reference & { readonly from: Collection })[] {
  return collections.flatMap((from) =>
    from.references.filter(({ to }) => to === name).map((reference) => ({ ...reference, from })),
  );
}

const { session, partial = [] } = pageData;

/** Whether the person may do this in a collection. Without roles, everything is allowed. */
export function may(right: 'create' | 'update' | 'delete', { name }: Pick<Collection, 'name'>): boolean {
  return session === undefined || (session.rights?.[name]?.[right].length ?? 0) > 0;
}

/** Whether the person may write a field of a new row, or of a stored one. */
export function mayWrite(collection: Collection, field: Field, isNew: boolean): boolean {
  if (field.readOnly || field.onUpdate !== undefined || (!isNew && collection.key.includes(field))) return false;
  return (
    session === undefined ||
    session.rights?.[collection.name]?.[isNew ? 'create' : 'update'].includes(field.name) === true
  );
}

/** The right that the undo of a write needs. */
const REVERSE = { create: 'delete', update: 'update', delete: 'create' } as const;

/**
 * Whether the person can undo a write. Without the log, only callers with a name can. A deleted row comes back only for
 * a role that sees all its fields.
 */
export function mayUndo(right: keyof typeof REVERSE, collection: Collection): boolean {
  const isLost = right === 'delete' && partial.includes(collection.name);
  if (hidesLog && session?.name === null) return false;
  return collection.draft.history !== false && !isLost && may(REVERSE[right], collection);
}
