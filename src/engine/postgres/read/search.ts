/**
 * Full-text search by PostgreSQL's functions. A query is validated before any row is read, since PostgreSQL may or may
 * not report an error depending on its query plan.
 */
import { ApiError } from '../../../base/errors.ts';
import { MAX_SEARCHED_LENGTH } from '../../../base/limits/engine.ts';
import { builtIn } from '../../../collection/types/index.ts';
import { can } from '../../../collection/types/type.ts';
import type { Predicate } from '../../../plan/types.ts';
import { checkSearch } from '../../../text/search/index.ts';
import type { Bind } from '../../sql/statement.ts';
import { query, type Runner } from '../driver.ts';

const TEXT = builtIn('text');

const FUNCTIONS = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
} as const;

export type Configurations = ReadonlySet<string>;

export async function findConfigurations(runner: Runner): Promise<Configurations> {
  const sql = 'select cfgname::text as name from pg_catalog.pg_ts_config where pg_catalog.pg_ts_config_is_visible(oid)';
  const configurations = await query<{ name: string }>(runner, sql);
  return new Set(configurations.map(({ name }) => name));
}

export function searchTest(
  { of, mode, config, query: text }: Extract<Predicate, { kind: 'search' }>,
  column: string,
  configurations: Configurations,
  bind: Bind,
): string {
  checkConfiguration(config, configurations);
  checkSearch(mode, text);
  const by = `${bind(config, TEXT)}::regconfig`;
  const vector =
    of.type.title === 'tsvector'
      ? column
      : can(of.type, 'json')
        ? `case when length((${column})::text) > ${MAX_SEARCHED_LENGTH} then '' else to_tsvector(${by}, ${column}) end`
        : `to_tsvector(${by}, left((${column})::text, ${MAX_SEARCHED_LENGTH}))`;
  return `${vector} @@ ${FUNCTIONS[mode]}(${by}, ${bind(text, TEXT)})`;
}

/** Names are case-insensitive. A qualified name is left to the server. */
function checkConfiguration(name: string, configurations: Configurations): void {
  if (name.includes('.') || configurations.has(name.toLowerCase())) return;
  throw new ApiError('42704', `text search configuration "${name}" does not exist`, {
    hint: `The configurations are ${[...configurations].sort().join(', ')}.`,
  });
}
