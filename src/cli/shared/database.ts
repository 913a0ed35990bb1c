/**
 * Opens the database of a command, and always closes it. Errors become one sentence. Reads have the query string, the
 * plan and the text of the API, streamed in parts.
 */
import { ApiError, onError } from '../../base/errors.ts';
import { suggestName } from '../../base/nearest-name.ts';
import { CHANGES_NAME } from '../../collection/change-log.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { served } from '../../collection/files.ts';
import { languageNamed, languagesOf } from '../../collection/languages.ts';
import { loadCatalogue } from '../../declare/load-catalogue.ts';
import { pageOfQuery, parseQuery } from '../../dialect/query.ts';
import type { CsvForm } from '../../encode/csv.ts';
import type { Encoding } from '../../encode/encoding.ts';
import type { Engine, ReadResult } from '../../engine/engine.ts';
import { createStep } from '../../engine/migration/words.ts';
import { maintenanceOf, openEngine, startupError } from '../../engine/open.ts';
import { countRows } from '../../engine/row-store.ts';
import type { Creation } from '../../engine/shared/loader.ts';
import type { Maintenance } from '../../engine/shared/maintenance.ts';
import { planRead } from '../../plan/read/read.ts';
import type { ReadPlan } from '../../plan/types.ts';
import { NO_ROWS } from '../../plan/write/first-rows.ts';
import { ConfigError, type DatabaseSettings } from '../../settings/by-command.ts';

interface CommandDatabase extends DatabaseSettings {
  readonly database: string;
  /** Permissions for a migration, as in `catalogue migrate --allow`. */
  readonly allowed?: readonly string[];
  readonly isMigration?: boolean;
}

type LoadedCatalogue = Awaited<ReturnType<typeof loadCatalogue>>;

/** `loaded` is the declaration, if the command has read it: the engine must know the same collections. */
export async function withDatabase<T>(
  settings: CommandDatabase,
  creation: Creation,
  work: (engine: Engine, catalogue: Catalogue) => Promise<T>,
  { withRows = false, loaded }: { readonly withRows?: boolean; readonly loaded?: LoadedCatalogue } = {},
): Promise<T> {
  const { catalogue, ...begun } = loaded ?? (await loadCatalogue(settings.collections, { withRows }));
  const firstRows = withRows ? begun.firstRows : NO_ROWS;
  const engine = openEngine(settings.database, { ...settings, catalogue, firstRows, creation });
  try {
    await engine.opened;
    return await work(engine, catalogue);
  } catch (error) {
    throw plainError(error, engine.location);
  } finally {
    await engine.close();
  }
}

export async function openMaintenance(settings: CommandDatabase): Promise<Maintenance> {
  return maintenanceOf(settings.database, (await loadCatalogue(settings.collections)).catalogue, settings);
}

/** Whether the collection did not exist before: this reveals a mistyped path. */
export function isNew({ steps = [] }: Engine, collection: Collection): boolean {
  return steps.includes(String(createStep(collection)));
}

/** The collection of a command: the named one, or the only one. */
export function chosenCollection(catalogue: Catalogue, name: string, how: string): Collection {
  const { collections } = served(catalogue);
  const names = [...collections.keys()];
  const [only, ...others] = collections.values();
  if (name === '' && others.length === 0) return only!;
  const collection = collections.get(name);
  if (collection !== undefined) return collection;
  if (name === '') throw new ConfigError(`no collection is given. Choose one with ${how}: ${names.join(', ')}`);
  const advice = suggestName(name, names, `the collections are ${names.join(', ')}`);
  throw new ConfigError(`unknown collection ${name}; ${advice}`);
}

/** An error as a message for a terminal. */
function plainError(error: unknown, location: string): unknown {
  if (error instanceof ConfigError) return error;
  const failure = startupError(error);
  if (failure !== undefined) return new ConfigError(`${location}: ${failure}`);
  if (!(error instanceof ApiError)) return error;
  const { message, details, hint } = error;
  const parts = [message, details, hint].filter((part) => part !== null).map((part) => part.replace(/\.$/, ''));
  return new ConfigError(parts.join('; '));
}

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
