/** SQLite's share of the SQL: its placeholders, and functions of our own where it has none of PostgreSQL's. */
import { embedded } from '../../collection/types/embedded.ts';
import { isIndex, isOnlyElement } from '../../collection/types/json-path.ts';
import { can, type Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import { ROW } from '../../encode/encoding.ts';
import { MAX_INSTRUCTIONS, SHORT_ROW_BYTES } from '../../limits.ts';
import { oncePer } from '../../once-per.ts';
import type { Predicate } from '../../plan/types.ts';
import { tooComplex } from '../../text/regex/problems.ts';
import { compileSearch } from '../../text/search/index.ts';
import { type Bind, identifier, type Operand, type SqlDialect } from '../compile/statement.ts';
import { instructionsOf } from '../text-steps.ts';
import { GUARD } from './deadline.ts';
import { inParentheses, joined } from './joined.ts';
import { compileLike } from './like.ts';
import { storedForm } from './stored-values.ts';

export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  placeholder: (position) => `?${position}`,

  stored: (value, type) => storedForm(type, value),

  compare: (operand, operator, value, bind) => {
    const { type } = operand.of;
    return `${comparable(operand)} ${operator} ${type.sqlite.keyed === true ? bind(keyOf(value, type)) : bind(value, type)}`;
  },

  memberOf(operand, values, bind) {
    const { type } = operand.of;
    // One value is common, and lets the planner see that at most one key matches.
    if (values.length === 1) return sqliteDialect.compare(operand, '=', values[0]!, bind);
    return `${comparable(operand)} in (select value from json_each(${bind(jsonList(values, type))}))`;
  },

  textTest(predicate, column, bind) {
    countInstructions(bind, checked(predicate));
    if (predicate.kind === 'search') {
      const { mode, config, query, of } = predicate;
      const searched = can(of.type, 'json') ? 'json_search' : 'text_search';
      return `${searched}(${column}, ${bind(mode)}, ${bind(config)}, ${bind(query)})`;
    }
    const { kind, pattern, caseless } = predicate;
    return `text_${kind}(${column}, ${bind(pattern)}, ${bind(caseless ? 1 : 0)})`;
  },

  contains: ({ sql, of }, operator, value) => `contains(${named(of.type)}, ${literal(operator)}, ${sql}, ${value})`,

  path(sql, { steps, type }, bind) {
    const keys = steps.map(({ key }) => key);
    const list = bind(JSON.stringify(keys));
    if (!can(type, 'text')) return `json_path(${sql}, ${list})`;
    const path = plainPath(keys);
    if (path === undefined) return `json_path_text(${sql}, ${list})`;
    // A text is what is mostly there, or nothing is: SQLite sees that sooner. Its numbers would not be as they were written.
    const native = bind(path);
    // SQLite has no elements in a single value.
    const nothing = keys.some(isOnlyElement) ? '' : "when '' then null ";
    return `case coalesce(json_type(${sql}, ${native}), '') when 'text' then ${sql} ->> ${native} ${nothing}else json_path_text(${sql}, ${list}) end`;
  },

  cast(sql, from, to) {
    // It is JSON already.
    if (from === embedded) return sql;
    return `cast_as(${named(from)}, ${named(to)}, ${sql})`;
  },

  aggregate({ function: name, of: { type } }, sql) {
    const special = type.sqlite.aggregate?.[name]?.(sql);
    if (special !== undefined) return special;
    const isByKey = type.sqlite.keyed === true && (name === 'max' || name === 'min');
    return isByKey ? `${name}_by_key(${named(type)}, ${sql})` : `${name}(${sql})`;
  },

  plain: (type) => type.sqlite.plain,
  json: (sql, type) => type.sqlite.json?.(sql) ?? `json_of(${named(type)}, ${sql})`,
  text: (sql, type) => type.sqlite.text?.(sql) ?? `text_of(${named(type)}, ${sql})`,
  cell: (sql, type) => type.sqlite.cell?.(sql) ?? sqliteDialect.text(sql, type),

  rowAsJson(members, stripNulls) {
    const texts = members.map(([name, sql], index) => {
      return `${literal(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)} || coalesce(${sql}, 'null')`;
    });
    // Not concat(), which the SQLite of older systems lacks: on macOS Bun has no other.
    const row = inParentheses(joined([...texts, literal('}')], ' || ', inParentheses));
    return stripNulls ? `json_strip_nulls(${row})` : row;
  },

  valueAsJson: (sql, type) => `coalesce(${sqliteDialect.json(sql, type)}, 'null')`,
  // As texts: an int8 loses digits where it passes through a function of JavaScript's.
  listAsJson: (query) =>
    `(select '[' || coalesce(group_concat(counted(${identifier(ROW)} || ''), ','), '') || ']' from (${query}))`,

  counted: (sql) => `counted(${sql})`,
  within(sql, values, least, share) {
    const bytes = bytesOf(values, least);
    // To call a function of ours costs more than the rest of a short row.
    const isShort = share === undefined ? '' : `${bytes} <= ${share} or `;
    return `iif(${isShort}within_bytes(${bytes}), ${sql}, null)`;
  },
  withinRow(sql, values, least) {
    if (values.length === 0) return sql;
    const bytes = bytesOf(values, least);
    return `iif(${bytes} < ${SHORT_ROW_BYTES} or embedded_bytes(${bytes}), ${sql}, null)`;
  },

  orderedBy: (operand) => [comparable(operand)],
  groupedBy: (operand) => comparable(operand),
};

function bytesOf(values: readonly string[], least: number): string {
  const lengths = values.map((value) => `ifnull(octet_length(${value}), 0)`);
  return joined([String(least), ...lengths], ' + ', inParentheses);
}

/** What SQLite compares as the values compare. */
function comparable({ sql, of }: Operand): string {
  return of.type.sqlite.keyed === true ? `key_of(${named(of.type)}, ${sql})` : sql;
}

function keyOf(value: Value, type: Type): string | null {
  return value === null ? null : type.key(value);
}

/** The type's name: a function of ours finds the type by it. */
function named({ name }: Type): string {
  return literal(name);
}

/** The values of a list as one JSON text: numbers in all their digits. */
function jsonList(values: readonly Value[], type: Type): string {
  const items = values.map((value) => {
    const stored = type.sqlite.keyed === true ? keyOf(value, type) : sqliteDialect.stored(value, type);
    if (typeof stored === 'bigint') return stored.toString();
    return typeof stored === 'number' ? jsonDouble(stored) : JSON.stringify(stored);
  });
  return `[${items.join(',')}]`;
}

/** JSON has no infinity, but what SQLite reads beyond all doubles is one; and it reads as a double what has an exponent. */
function jsonDouble(number: number): string {
  if (!Number.isFinite(number)) return number < 0 ? '-9e999' : '9e999';
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? number.toExponential() : String(number);
}

const PLAIN_KEY = /^[\p{L}\p{N}_ -]+$/u;
const PLAIN_INDEX = /^(?:-[1-9]\d{0,8}|\d{1,9})$/;

/** The steps in SQLite's own words, where they need no quotes within quotes. */
function plainPath(keys: readonly string[]): string | undefined {
  const steps = keys.map((key) => {
    if (PLAIN_INDEX.test(key)) return key.startsWith('-') ? `[#${key}]` : `[${key}]`;
    return !isIndex(key) && PLAIN_KEY.test(key) ? `."${key}"` : undefined;
  });
  return steps.includes(undefined) ? undefined : `$${steps.join('')}`;
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

type TextTest = Extract<Predicate, { kind: 'like' | 'regex' | 'search' }>;

/**
 * Each pattern is read here once, so that a bad one is refused even where no row is tested. A regular expression is measured
 * only: compiling a large one takes its time, which is the thread's that runs it. Tells how many instructions it takes.
 */
const checked = oncePer((predicate: TextTest): number => {
  switch (predicate.kind) {
    case 'search':
      compileSearch(predicate.mode, predicate.config, predicate.query);
      return 0;
    case 'like':
      compileLike(predicate.pattern, predicate.caseless);
      return 0;
    case 'regex':
      return instructionsOf(predicate);
  }
});

/** Of the expressions of each statement: compiling them must not keep others waiting. */
const instructions = new WeakMap<Bind, number>();

function countInstructions(bind: Bind, size: number): void {
  if (size === 0) return;
  const total = (instructions.get(bind) ?? 0) + size;
  if (total > MAX_INSTRUCTIONS) throw tooComplex('Use fewer of them in one request, or smaller bounds in {m,n}.');
  instructions.set(bind, total);
}

/** For statements under a time limit. */
export const guardedDialect: SqlDialect = { ...sqliteDialect, guard: GUARD };
