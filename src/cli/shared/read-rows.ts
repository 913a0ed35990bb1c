/** A read for a command: the query string, the plan and the text of the API, streamed in parts. */

import { ApiError, onError } from '../../base/errors.ts';
import { CHANGES_NAME } from '../../collection/change-log.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { languageNamed, languagesOf } from '../../collection/languages.ts';
import { pageOfQuery } from '../../dialect/page.ts';
import { parseQuery } from '../../dialect/query.ts';
import type { CsvForm } from '../../encode/csv.ts';
import type { Encoding } from '../../encode/encoding.ts';
import type { Engine, ReadResult } from '../../engine/engine.ts';
import { countRows } from '../../engine/row-store.ts';
import { planRead } from '../../plan/read/read.ts';
import type { ReadPlan } from '../../plan/types.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { chosenCollection } from './database.ts';

/** Plans a query string or a whole path. `rowsOf` turns the query's limit into a number of rows, and adds a count. */
export function planOf(catalogue: Catalogue, text: string, rowsOf?: (limit: number | undefined) => number): ReadPlan {
  if (/^https?:/i.test(text)) throw new ConfigError(addressProblem(text));
  const [, name = '', rest = text] =
    /^\/?([a-z][a-z0-9_]*)?\?(.*)$/s.exec(text) ?? /^\/?([a-z][a-z0-9_]*)()$/.exec(text) ?? [];
  const isLog = name === CHANGES_NAME && !catalogue.collections.has(name);
  const collection = isLog ? catalogue.builtIn.get(name)! : chosenCollection(catalogue, name, "'NAME?…'");
  const { language, ...others } = parseQuery(rest);
  const query =
    language === undefined ? others : { ...others, language: languageNamed(language, languagesOf(catalogue)) };
  const page = pageOfQuery(query);
  const limit = rowsOf === undefined ? page.limit : rowsOf(page.limit);
  return planRead(
    collection,
    query,
    { offset: page.offset, ...(limit === undefined ? {} : { limit }) },
    rowsOf === undefined ? undefined : 'exact',
  );
}

function addressProblem(text: string): string {
  const { pathname, search } = URL.canParse(text) ? new URL(text) : { pathname: '', search: '' };
  const path = pathname.split('/').at(-1) ?? '';
  const query = path === '' ? '' : `For the same rows, use '${path}${search}'. `;
  return `'${text}' is an address, and this command reads the database itself. ${query}Choose another database with --database`;
}

interface Reading {
  /** The number of rows to come. */
  readonly rows: number;
  /** The number of matching rows, if the plan counts them. */
  readonly total?: number;
  readonly parts: AsyncGenerator<string | Uint8Array>;
}

export async function read(
  engine: Engine,
  plan: ReadPlan,
  format: Encoding['format'],
  form: CsvForm = {},
  { inputs = [], asOf }: { readonly inputs?: NonNullable<Encoding['inputs']>; readonly asOf?: number | undefined } = {},
): Promise<Reading> {
  const encoding: Encoding = {
    format,
    stripNulls: false,
    columns: plan.columns.map(({ name }) => name),
    inputs,
    ...form,
  };
  const result = await engine.read(plan, encoding, undefined, asOf);
  const total = result.total === undefined ? {} : { total: result.total };
  return { rows: result.returned, ...total, parts: partsOf(result) };
}

async function* partsOf({ body }: ReadResult): AsyncGenerator<string | Uint8Array> {
  if (typeof body === 'string') return yield body;
  try {
    for (let part = await body.next(); part.done !== true; part = await body.next()) yield part.value;
  } finally {
    // Closes the cursor if the reader stops early.
    await body.return?.();
  }
}

/** The lines of a body in parts. */
export async function* lines(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const text = rest + (typeof part === 'string' ? part : decoder.decode(part, { stream: true }));
    const whole = text.split('\n');
    rest = whole.pop() ?? '';
    yield* whole;
  }
  if (rest !== '') yield rest;
}

/** Resolves to the number of rows once the engine answers. */
export async function rowCount(engine: Engine, collection: Collection): Promise<number> {
  const count = () => Promise.resolve(engine.opened).then(() => countRows(engine, collection));
  return onError(ApiError, count, ({ details, message }) => {
    throw new ConfigError(`${engine.location}: ${details ?? message}`);
  });
}
