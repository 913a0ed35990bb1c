/** SQLite's share of the SQL: its placeholders, and functions of our own where it has none of PostgreSQL's. */
import type { Type } from '../../collection/types/type.ts';
import { MAX_INSTRUCTIONS } from '../../limits.ts';
import { tooComplex } from '../../text/regex/problems.ts';
import { sizeOfRegex } from '../../text/regex.ts';
import { compileSearch } from '../../text/search/index.ts';
import type { Bind, SqlDialect } from '../compile/statement.ts';
import { GUARD } from './deadline.ts';
import { compileLike } from './like.ts';

export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  placeholder: (position) => `?${position}`,

  stored: (value, type) => type.sqlite.bind?.(value) ?? value,

  memberOf({ sql, of }, values, bind) {
    // One value is common, and lets the planner see that at most one key matches.
    if (values.length === 1) return `${sql} = ${bind(values[0]!, of.type)}`;
    return `${sql} in (select value from json_each(${bind(jsonList(values, of.type))}))`;
  },

  // Each pattern is read here once, so that a bad one is refused even where no row is tested. A regular expression is measured
  // only: compiling a large one takes its time, which is the thread's that runs it.
  textTest(predicate, column, bind) {
    if (predicate.kind === 'search') {
      const { mode, config, query } = predicate;
      compileSearch(mode, config, query);
      return `text_search(${column}, ${bind(mode)}, ${bind(config)}, ${bind(query)})`;
    }
    const { kind, pattern, caseless } = predicate;
    if (kind === 'like') compileLike(pattern, caseless);
    else countInstructions(bind, sizeOfRegex(pattern, caseless));
    return `text_${kind}(${column}, ${bind(pattern)}, ${bind(caseless ? 1 : 0)})`;
  },

  contains: ({ sql, of }, operator, value) => `json_${operator}(${of.type.kind === 'array' ? 1 : 0}, ${sql}, ${value})`,

  path(sql, { steps, type }, bind) {
    const inside = steps.reduce((of, { key }) => `json_step(${of}, ${bind(key)})`, sql);
    return type.kind === 'text' ? `json_step_text(${inside})` : inside;
  },

  cast(sql, from, to) {
    if (to.kind === 'text') return from.sqlite.casts?.text?.(sql) ?? from.sqlite.text(sql);
    return from.sqlite.casts?.[to.kind]?.(sql) ?? readAs(to, from.sqlite.text(sql));
  },

  aggregate: ({ function: name, of }, sql) => of.type.sqlite.aggregate?.[name]?.(sql) ?? `${name}(${sql})`,

  plain: (type) => type.sqlite.plain,
  json: (sql, type) => type.sqlite.json(sql),
  text: (sql, type) => type.sqlite.text(sql),

  // A merge patch into nothing leaves the nulls out, at any depth (RFC 7396).
  rowAsJson(members, stripNulls) {
    const row = `json_object(${members.map(([name, sql]) => `${literal(name)}, ${sql}`).join(', ')})`;
    return stripNulls ? `json_patch('{}', ${row})` : row;
  },

  within: (sql, values) =>
    `iif(within_bytes(${values.map((value) => `ifnull(octet_length(${value}), 0)`).join(' + ')}), ${sql}, null)`,

  orderedBy: ({ sql, of }) => [of.type.sqlite.sorted?.(sql) ?? sql],
};

/** The text form of a value becomes a value of the type, or is refused as PostgreSQL does. */
function readAs(type: Type, text: string): string {
  return `read_as(${literal(type.name)}, ${text})`;
}

/** The values of a list as one JSON text: numbers in all their digits. */
function jsonList(values: readonly unknown[], type: Type): string {
  const items = values.map((value) => {
    const stored = type.sqlite.bind?.(value as never) ?? value;
    if (typeof stored === 'bigint') return stored.toString();
    return typeof stored === 'boolean' ? String(Number(stored)) : JSON.stringify(stored);
  });
  return `[${items.join(',')}]`;
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Of the expressions of each statement: compiling them must not keep others waiting. */
const instructions = new WeakMap<Bind, number>();

function countInstructions(bind: Bind, size: number): void {
  const total = (instructions.get(bind) ?? 0) + size;
  if (total > MAX_INSTRUCTIONS) throw tooComplex('Use fewer of them in one request, or smaller bounds in {m,n}.');
  instructions.set(bind, total);
}

/** For statements under a time limit. */
export const guardedDialect: SqlDialect = { ...sqliteDialect, guard: GUARD };
