/** A read for a command: the same query string as the API, the same plan, the same text, in parts as they come. */
import type { Collection } from '../collection/declaration.ts';
import { pageOfQuery } from '../dialect/page.ts';
import { parseQuery } from '../dialect/query.ts';
import { type CsvForm, type Encoding, encodeRows } from '../encode/encoding.ts';
import type { Engine, ReadResult } from '../engine/engine.ts';
import { planRead } from '../plan/read.ts';
import type { ReadPlan } from '../plan/types.ts';

/**
 * The query as it stands after `?` in a URL; a whole path is taken, too. Where `rowsOf` makes a number of rows of the query's
 * own limit, all that match are counted beside.
 */
export function planOf(collection: Collection, text: string, rowsOf?: (limit: number | undefined) => number): ReadPlan {
  const query = parseQuery(text.replace(/^(\/?[a-z_]*)?\?/, ''));
  const page = pageOfQuery(query);
  const limit = rowsOf === undefined ? page.limit : rowsOf(page.limit);
  return planRead(
    collection,
    query,
    { offset: page.offset, ...(limit === undefined ? {} : { limit }) },
    rowsOf === undefined ? undefined : 'exact',
  );
}

export interface Reading {
  /** How many rows there will be. */
  readonly rows: number;
  /** All that match, where the plan counts them. */
  readonly total?: number;
  readonly parts: AsyncGenerator<string | Uint8Array>;
}

export async function read(
  engine: Engine,
  plan: ReadPlan,
  format: Encoding['format'],
  form: CsvForm = {},
): Promise<Reading> {
  const encoding: Encoding = { format, stripNulls: false, columns: plan.columns.map(({ name }) => name), ...form };
  const result = await engine.read(plan, encoding);
  const rows = result.kind === 'rows' ? result.rows.length : result.returned;
  return { rows, ...(result.total === undefined ? {} : { total: result.total }), parts: partsOf(result, encoding) };
}

async function* partsOf(result: ReadResult, encoding: Encoding): AsyncGenerator<string | Uint8Array> {
  if (result.kind === 'rows') return yield encodeRows(result.rows, encoding);
  if (Array.isArray(result.parts)) return yield result.parts[0] as string;
  const parts = result.parts as AsyncIterator<Uint8Array, undefined>;
  try {
    for (let part = await parts.next(); part.done !== true; part = await parts.next()) yield part.value;
  } finally {
    // Whoever stops early leaves no cursor behind.
    await parts.return?.();
  }
}
