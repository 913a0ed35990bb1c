/** SQLite's SQL dialect: placeholders, and our functions for PostgreSQL features that SQLite lacks. */
import { ApiError } from '../../base/errors.ts';
import { MAX_INSTRUCTIONS } from '../../base/limits/engine.ts';
import { memoize } from '../../base/memo.ts';
import { embedded } from '../../collection/types/embedded.ts';
import { isIndex, isOnlyElement } from '../../collection/types/json/json-path.ts';
import { can, type Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import { ROW } from '../../encode/encoding.ts';
import { tooComplex } from '../../text/regex/problems.ts';
import { compileSearch } from '../../text/search/index.ts';
import { regexInstructions } from '../shared/cost.ts';
import {
  type Bind,
  identifier,
  type Operand,
  quoteText,
  type SqlDialect,
  type TextPredicate,
} from '../sql/statement.ts';
import { GUARD } from './connection/deadline.ts';
import { joinInGroups, joinTexts } from './functions/argument-groups.ts';
import { compileLike } from './functions/like.ts';
import { operatedSql } from './functions/numeric.ts';
import { storedForm } from './functions/stored-values.ts';

export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  placeholder: (position) => `?${position}`,

  stored: (value, type) => storedForm(type, value),
  callOfRow(called) {
    throw new ApiError('PGRST127', `${called} is a function of PostgreSQL, and this is SQLite`);
  },

  compare: (operand, operator, value, bind) => {
    const { type } = operand.of;
    return `${comparable(operand)} ${operator} ${type.sqlite.keyed === true ? bind(keyOf(value, type)) : bind(value, type)}`;
  },

  memberOf(operand, values, bind) {
    const { type } = operand.of;
    // A single value lets the planner see that at most one key matches.
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

  valueTable: (values, type, bind) => `json_each(${bind(jsonList(values, type))})`,
  elements: (sql) => `json_each(${sql})`,
  // Each element of an array of ids has a text that no other element contains.
  isElement: (value, array) => `instr(${array}, ${value}) > 0`,
  isListed: (value, query) => `${value} in (${query})`,

  contains: ({ sql, of }, operator, value) => `contains(${named(of.type)}, ${quoteText(operator)}, ${sql}, ${value})`,

  path(sql, { steps, type }, bind) {
    const keys = steps.map(({ key }) => key);
    const list = bind(JSON.stringify(keys));
    if (!can(type, 'text')) return `json_path(${sql}, ${list})`;
    const path = plainPath(keys);
    if (path === undefined) return `json_path_text(${sql}, ${list})`;
    // SQLite extracts a text, or nothing, faster. Numbers would lose their spelling.
    const native = bind(path);
    // SQLite does not treat a scalar as an array of one.
    const nothing = keys.some(isOnlyElement) ? '' : "when '' then null ";
    return `case coalesce(json_type(${sql}, ${native}), '') when 'text' then ${sql} ->> ${native} ${nothing}else json_path_text(${sql}, ${list}) end`;
  },

  cast(sql, from, to) {
    // Already JSON.
    if (from === embedded) return sql;
    return `cast_as(${named(from)}, ${named(to)}, ${sql})`;
  },

  aggregate(name, { type }, sql) {
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
    const texts = members.flatMap(([name, sql], index) => [
      quoteText(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
      `coalesce(${sql}, 'null')`,
    ]);
    const row = joinTexts([...texts, quoteText('}')]);
    return stripNulls ? `json_strip_nulls(${row})` : row;
  },

  valueAsJson: (sql, type) => `coalesce(${sqliteDialect.json(sql, type)}, 'null')`,
  // The limit lets SQLite compute each row once, since a subquery with a limit stays one.
  listAsJson(query) {
    const row = identifier(ROW);
    const counted = `iif(embedded_bytes(octet_length(${row})), ${row}, null)`;
    return `(select '[' || coalesce(group_concat(${counted}, ','), '') || ']' from (select ${row} from (${query}) limit -1))`;
  },

  jsonRows(json, columns) {
    const values = columns.map((kind, index) => {
      return `${kind === 'bytes' ? `unhex(value ->> ${index})` : `value ->> ${index}`} as c${index}`;
    });
    return `(select ${values.join(', ')} from json_each(${json}))`;
  },

  joinBytes: (one, other) => `cast(${one} || ${other} as blob)`,
  countedText: (sql) => `counted(${sql})`,
  boundedValue(sql, values, least, { bounded, share }) {
    if (bounded === undefined || (bounded === 'embedded' && values.length === 0)) return sql;
    const bytes = bytesOf(values, least);
    const count = bounded === 'embedded' ? 'embedded_bytes' : 'within_bytes';
    // A call of our function costs more than the rest of a short row.
    const isShort = share === undefined ? '' : `${bytes} <= ${share} or `;
    return `iif(${isShort}${count}(${bytes}), ${sql}, null)`;
  },

  operate: operatedSql,

  orderedBy: (operand) => [comparable(operand)],
  // Along an index of the group, SQLite would look up every row in another order than they are stored in.
  groupedBy: (operand, isScan = false) => `${isScan ? '+' : ''}${comparable(operand)}`,
};

function bytesOf(values: readonly string[], least: number): string {
  const lengths = values.map((value) => `ifnull(octet_length(${value}), 0)`);
  return joinInGroups([String(least), ...lengths], ' + ');
}

/** The stored form, which compares like the values. */
function comparable({ sql, of }: Operand): string {
  return of.type.sqlite.keyed === true ? `key_of(${named(of.type)}, ${sql})` : sql;
}

function keyOf(value: Value, type: Type): string | null {
  return value === null ? null : type.key(value);
}

/** Our functions look up a type by its name. */
function named({ name }: Type): string {
  return quoteText(name);
}

function jsonList(values: readonly Value[], type: Type): string {
  const items = values.map((value) =>
    jsonOf(type.sqlite.keyed === true ? keyOf(value, type) : sqliteDialect.stored(value, type)),
  );
  return `[${items.join(',')}]`;
}

/** A stored form in JSON, with all digits. */
export function jsonOf(stored: Value): string {
  if (typeof stored === 'bigint') return stored.toString();
  return typeof stored === 'number' ? jsonDouble(stored) : JSON.stringify(stored);
}

/** JSON has no infinity, but SQLite reads a number beyond all doubles as one. An exponent makes it a double. */
function jsonDouble(number: number): string {
  if (!Number.isFinite(number)) return number < 0 ? '-9e999' : '9e999';
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? number.toExponential() : String(number);
}

const PLAIN_KEY = /^[\p{L}\p{N}_ -]+$/u;
const PLAIN_INDEX = /^(?:-[1-9]\d{0,8}|\d{1,9})$/;

/** The path in SQLite's syntax, if it needs no nested quotes. */
function plainPath(keys: readonly string[]): string | undefined {
  const steps = keys.map((key) => {
    if (PLAIN_INDEX.test(key)) return key.startsWith('-') ? `[#${key}]` : `[${key}]`;
    return !isIndex(key) && PLAIN_KEY.test(key) ? `."${key}"` : undefined;
  });
  return steps.includes(undefined) ? undefined : `$${steps.join('')}`;
}

/**
 * Validates a pattern once, so that an invalid one is rejected even if no row is tested. A regular expression is only
 * measured: compiling is left to the thread that runs it. Returns its number of instructions.
 */
const checked = memoize((predicate: TextPredicate): number => {
  switch (predicate.kind) {
    case 'search':
      compileSearch(predicate.mode, predicate.config, predicate.query);
      return 0;
    case 'like':
      compileLike(predicate.pattern, predicate.caseless);
      return 0;
    case 'regex':
      return regexInstructions(predicate);
  }
});

/** The total instructions per statement, since compiling must not delay others. */
const instructions = new WeakMap<Bind, number>();

function countInstructions(bind: Bind, size: number): void {
  if (size === 0) return;
  const total = (instructions.get(bind) ?? 0) + size;
  if (total > MAX_INSTRUCTIONS) throw tooComplex('Use fewer of them in one request, or smaller bounds in {m,n}.');
  instructions.set(bind, total);
}

/** For statements with a time limit. */
export const guardedDialect: SqlDialect = { ...sqliteDialect, guard: GUARD };
