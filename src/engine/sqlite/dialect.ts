/** SQLite's share of the SQL: its placeholders, and functions of our own where it has none of PostgreSQL's. */
import { MAX_INSTRUCTIONS } from '../../limits.ts';
import { isLongNumber } from '../../plan/computed.ts';
import { type Bind, identifier, type SqlDialect } from '../compile/statement.ts';
import { tooComplex } from '../text/regex/problems.ts';
import { compileRegex } from '../text/regex.ts';
import { compileSearch } from '../text/search/index.ts';
import { GUARD } from './deadline.ts';
import { AGGREGATES, CASTS } from './expressions.ts';
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

  cast: (sql, of, to) => CASTS[to](sql, of),

  aggregate: ({ function: name, of }, sql) => AGGREGATES[name](sql, of),

  // The driver makes doubles of whole numbers. What else has many digits is a text already.
  output: (sql, expression) =>
    isLongNumber(expression) && expression.type === 'int8' ? `cast(${sql} as text)` : undefined,

  orderedBy: (sql, expression) =>
    isLongNumber(expression) && expression.type === 'decimal' ? [`decimal_ordering(${sql})`] : undefined,
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
