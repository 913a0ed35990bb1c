/** SQLite's share of the SQL: its placeholders, and functions of our own where it has none of PostgreSQL's. */
import { MAX_INSTRUCTIONS } from '../../limits.ts';
import type { Expression, ScalarType } from '../../plan/types.ts';
import { type Bind, identifier, type SqlDialect } from '../compile/statement.ts';
import { tooComplex } from '../text/regex/problems.ts';
import { compileRegex } from '../text/regex.ts';
import { compileSearch } from '../text/search/index.ts';
import { GUARD } from './deadline.ts';
import { compileLike } from './like.ts';

export const sqliteDialect: SqlDialect = {
  placeholder: () => '?',

  memberOf(field, values, bind) {
    // One value is common, and lets the planner see that at most one key matches.
    if (values.length === 1) return `${identifier(field.name)} = ${bind(values[0]!)}`;
    return `${identifier(field.name)} in (select value from json_each(${bind(JSON.stringify(values))}))`;
  },

  // Each pattern is compiled here once, so that a bad one is refused even where no row is tested.
  textTest(predicate, column, bind) {
    if (predicate.kind === 'search') {
      const { mode, config, query } = predicate;
      compileSearch(mode, config, query);
      return `text_search(${column}, ${bind(mode)}, ${bind(config)}, ${bind(query)})`;
    }
    const { kind, pattern, caseless } = predicate;
    if (kind === 'like') compileLike(pattern, caseless);
    else countInstructions(bind, compileRegex(pattern, caseless).size);
    return `text_${kind}(${column}, ${bind(pattern)}, ${bind(caseless ? 1 : 0)})`;
  },

  cast: (sql, from, to) => CASTS[to](sql, from),

  aggregate: ({ function: name, of }, sql) => AGGREGATES[name](sql, of),
};

/** Of the expressions of each statement: compiling them must not keep others waiting. */
const instructions = new WeakMap<Bind, number>();

function countInstructions(bind: Bind, size: number): void {
  const total = (instructions.get(bind) ?? 0) + size;
  if (total > MAX_INSTRUCTIONS) throw tooComplex('Use fewer of them in one request, or smaller bounds in {m,n}.');
  instructions.set(bind, total);
}

/** For statements under a time limit. */
export const guardedDialect: SqlDialect = { ...sqliteDialect, guard: GUARD };

const fromText =
  (reader: string, otherwise: (sql: string, from: ScalarType) => string) => (sql: string, from: ScalarType) =>
    from === 'text' ? `${reader}(${sql})` : otherwise(sql, from);

const toWhole = (sql: string, from: ScalarType) =>
  from === 'decimal' || from === 'float8' ? `cast(round(${sql}) as integer)` : sql;
const toWholeOf = (bits: 16 | 32) => (sql: string, from: ScalarType) => `whole_of(${bits}, ${toWhole(sql, from)})`;

const CASTS: Readonly<Record<ScalarType, (sql: string, from: ScalarType) => string>> = {
  int2: (sql, from) => toWholeOf(16)(fromText('text_to_int4', toWhole)(sql, from), 'int8'),
  int4: fromText('text_to_int4', toWholeOf(32)),
  int8: fromText('text_to_int4', toWhole),
  decimal: fromText('text_to_decimal', (sql) => sql),
  float8: fromText('text_to_decimal', (sql) => sql),
  bool: fromText('text_to_bool', (sql) => `(${sql} <> 0)`),
  json: (sql) => sql,
  text: (sql, from) => {
    if (from === 'bool') return `iif(${sql}, 'true', 'false')`;
    // 15 digits print every storable decimal exactly, without trailing zeros; printf makes text of null, though.
    if (from === 'decimal' || from === 'float8') return `iif(${sql} is null, null, printf('%.15g', ${sql}))`;
    return `cast(${sql} as text)`;
  },
};

/** Decimals are summed as whole ten-thousandths, which keeps the sum exact. */
const units = (sql: string, of: Expression) => (of.type === 'decimal' ? `cast(round(${sql} * 10000) as integer)` : sql);
const scale = (of: Expression) => (of.type === 'decimal' ? ' / 10000.0' : '');

const AGGREGATES: Readonly<Record<'sum' | 'avg' | 'count' | 'max' | 'min', (sql: string, of: Expression) => string>> = {
  sum: (sql, of) => `(sum(${units(sql, of)})${scale(of)})`,
  avg: (sql, of) => `(sum(${units(sql, of)}) * 1.0${scale(of)} / count(${sql}))`,
  count: (sql) => `count(${sql})`,
  max: (sql) => `max(${sql})`,
  min: (sql) => `min(${sql})`,
};
