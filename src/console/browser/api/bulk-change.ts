/**
 * One change of many rows: a value, or an operation that the service calculates. Up to 1,000 rows are changed by key,
 * on the condition of their old values. All rows that match a long list are changed by its filter.
 */

import { newId } from '../base/ids.ts';
import { isSame } from '../base/same.ts';
import { t } from '../i18n/text.ts';
import { type BulkOutcome, changeUnchangedRows, MAX_EDITED_ROWS } from './bulk.ts';
import type { Collection, Field, Row } from './catalogue.ts';
import { lastChange } from './changes.ts';
import { ask, countIn, type RequestOptions } from './client.ts';
import { conditionsOf, embeddingsOf, isRanked, type ListQuery, listUrl, type Pair } from './query/list.ts';
import { keyText, pathOf, printName, queryText } from './query/text.ts';
import { deleteRows, dryRunEdits, newRequestId, type RowEdit } from './rows.ts';
import { hidesLog } from './session/page-data.ts';
import { readStored } from './stored-rows.ts';

export interface Target {
  readonly query: ListQuery;
  /** Undefined means all rows that match the query. */
  readonly rows: readonly Row[] | undefined;
  readonly count: number;
}

export interface Preview {
  readonly target: Target;
  /** The rows to change by key; undefined if the filter selects them. */
  readonly edits: readonly RowEdit[] | undefined;
  /** The first rows, before and after. */
  readonly examples: readonly { readonly before: Row; readonly after: Row }[];
  readonly changing: number;
  /** Rows without a number. */
  readonly empty: number;
  /** The position of the last change before the preview. */
  readonly position: number | undefined;
}

const EXAMPLES = 5;

/** Whether rows changed by their filter were changed by someone else since the preview. */
export class ChangedMeanwhile extends Error {
  constructor() {
    super(t.grid.changedMeanwhile);
  }
}

const isOperation = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const tooManyRows = () => new Error(t.grid.tooManyRows(MAX_EDITED_ROWS));

/** The last change of a collection; undefined if the service or the role has no history. */
const lastOf = async ({ name }: Collection): Promise<number | undefined> =>
  hidesLog ? undefined : lastChange([['collection', `eq.${name}`]]).catch(() => undefined);

/** The conditions of the rows that change. A write without any filter is too easily a mistake; the key is one. */
function filterOf({ query }: Target, field: Field, isCalculated: boolean): readonly Pair[] {
  const { name } = isCalculated ? field : query.collection.key[0]!;
  // The search finds too many rows for a write by key, and a write cannot have that filter.
  if (embeddingsOf(query).length > 0 || isRanked(query)) throw tooManyRows();
  return [...conditionsOf(query), [printName(name), 'not.is.null']];
}

/** Asks the service for the first results without storing them. A rejected value throws. */
export async function previewChange(target: Target, field: Field, value: unknown): Promise<Preview> {
  const { query, count } = target;
  const { collection } = query;
  const isCalculated = isOperation(value) && field.type.input !== 'json';
  const changes = { [field.name]: value } as Row;
  const editsOf = (rows: readonly Row[]): readonly RowEdit[] => rows.map((row) => ({ row, changes }));
  // A dry run of all rows would exceed its time limit on a busy or distant database.
  const examplesOf = async (edits: readonly RowEdit[]) => {
    const shown = edits.slice(0, EXAMPLES);
    const after = shown.length === 0 ? [] : await dryRunEdits(collection, shown);
    return shown.map(({ row }, at) => ({ before: row, after: after[at] ?? row }));
  };
  // The filter of the list would change its other rows as well.
  if (target.rows !== undefined && count > MAX_EDITED_ROWS) throw tooManyRows();
  if (count <= MAX_EDITED_ROWS) {
    const rows = await storedRows(target);
    const changing = isCalculated ? rows.filter((row) => row[field.name] !== null) : rows;
    const edits = editsOf(changing);
    return {
      target,
      edits,
      examples: await examplesOf(edits),
      changing: changing.length,
      empty: rows.length - changing.length,
      position: undefined,
    };
  }
  const position = await lastOf(collection);
  const filters = filterOf(target, field, isCalculated);
  const url = listUrl({ ...query, filters, search: '' }, [['limit', String(EXAMPLES)]]);
  const { json, headers } = await ask(url, { headers: { prefer: 'count=exact' } });
  const changing = countIn(headers);
  const examples = await examplesOf(editsOf(json as Row[]));
  return { target, edits: undefined, examples, changing, empty: count - changing, position };
}

async function storedRows({ query, rows }: Target): Promise<readonly Row[]> {
  const { collection } = query;
  if (rows === undefined)
    return (await ask(listUrl(query, [['limit', String(MAX_EDITED_ROWS)]]))).json as readonly Row[];
  const stored = await readStored(collection, rows);
  return rows.map((row) => stored.get(keyText(collection, row))).filter((row) => row !== undefined);
}

/** Changes the rows of a preview in one request. Returns how many, and the rows that others changed first. */
export async function applyChange(
  { target, edits, changing, position }: Preview,
  field: Field,
  value: unknown,
): Promise<Pick<BulkOutcome, 'requestId' | 'skipped'> & { readonly count: number }> {
  const { collection } = target.query;
  if (edits !== undefined) {
    const outcome = await changeUnchangedRows(collection, edits);
    return { ...outcome, count: outcome.rows.length };
  }
  if (position !== undefined && (await lastOf(collection)) !== position) throw new ChangedMeanwhile();
  const filter = filterOf(target, field, isOperation(value) && field.type.input !== 'json');
  return writeByFilter(target, filter, changing, {
    method: 'PATCH',
    body: { [field.name]: value },
    idempotencyKey: newId(),
  });
}

/** Writes the rows of a filter. The service rejects it if more rows match than the person saw. */
async function writeByFilter(
  { query: { collection } }: Target,
  filter: readonly Pair[],
  most: number,
  request: Pick<RequestOptions, 'method' | 'body' | 'idempotencyKey'>,
) {
  const requestId = newRequestId();
  const prefer = `return=minimal, count=exact, handling=strict, max-affected=${most}`;
  const { headers } = await ask(`${pathOf(collection)}?${queryText(filter)}`, {
    ...request,
    headers: { prefer, 'x-request-id': requestId },
  });
  return { requestId, skipped: [], count: countIn(headers) };
}

/** The rows that someone else changed since the person saw them. Rows of a filter are not compared, but counted. */
export async function rowsChangedSince({ query: { collection }, rows = [] }: Target): Promise<readonly Row[]> {
  const stored = await readStored(collection, rows);
  return rows.filter((row) => {
    const now = stored.get(keyText(collection, row));
    return now !== undefined && collection.fields.some(({ name }) => !isSame(now[name] ?? null, row[name] ?? null));
  });
}

/** Deletes the rows in one transaction. */
export async function deleteAll(target: Target): Promise<{ requestId: string; count: number }> {
  const { query, count } = target;
  const { collection } = query;
  if (target.rows !== undefined || count <= MAX_EDITED_ROWS) {
    const rows = target.rows ?? (await storedRows(target));
    if (rows.length > count) throw new Error(t.errors.moreRows);
    return { ...(await deleteRows(collection, rows)), count: rows.length };
  }
  return writeByFilter(target, filterOf(target, collection.key[0]!, false), count, { method: 'DELETE' });
}
