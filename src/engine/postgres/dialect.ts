/** PostgreSQL's share of the SQL: typed placeholders, its own text operators, numbers as JSON has them. */
import type { Field } from '../../collection/declaration.ts';
import type { FieldType } from '../../collection/field-types.ts';
import type { Value } from '../../collection/value.ts';
import type { Aggregate } from '../../dialect/tree.ts';
import { isLongNumber } from '../../plan/computed.ts';
import type { Expression, ScalarType } from '../../plan/types.ts';
import { type Bind, identifier, type SqlDialect } from '../compile/statement.ts';
import { checkLike } from '../text/like.ts';
import { checkRegex } from '../text/regex.ts';
import { beginning, beginningOf, compareBeginnings, hasBeginning } from './beginnings.ts';
import { type Folding, foldedColumn, foldedPattern, foldedRegex } from './folding.ts';
import { type Configurations, searchTest } from './search.ts';

/** What each type is called in PostgreSQL. */
export const TYPE_NAMES: Readonly<Record<ScalarType, string>> = {
  int2: 'int2',
  int4: 'int4',
  int8: 'int8',
  decimal: 'numeric',
  float8: 'float8',
  text: 'text',
  bool: 'bool',
  json: 'json',
};

export function postgresDialect(folding: Folding, configurations: Configurations): SqlDialect {
  return {
    placeholder: (position, type) => (type === undefined ? `$${position}` : `$${position}::${TYPE_NAMES[type]}`),

    memberOf(field, values, bind) {
      const column = identifier(field.name);
      if (values.length === 1) {
        const value = bind(values[0]!, field.type);
        return compareBeginnings(field, '=', value) ?? `${column} = ${value}`;
      }
      const isOneOf = (sql: string, list: readonly Value[]) =>
        `${sql} = any(${bind(arrayLiteral(list), 'text')}::${TYPE_NAMES[field.type]}[])`;
      if (!isFirstList(bind, field)) return isOneOf(withoutIndex(column, field), values);
      if (!hasBeginning(field)) return isOneOf(column, values);
      return `(${isOneOf(beginning(column), values.map(beginningOf))} and ${isOneOf(column, values)})`;
    },

    compare: compareBeginnings,
    orderedBy: (sql, expression) =>
      expression.kind === 'field' && hasBeginning(expression.field) ? [beginning(sql), sql] : undefined,

    textTest(predicate, column, bind) {
      if (predicate.kind === 'search') return searchTest(predicate, column, configurations, bind);
      const { kind, pattern, caseless } = predicate;
      if (kind === 'like') {
        checkLike(pattern);
        if (!caseless) return `${column} like ${bind(pattern, 'text')}`;
        return `${foldedColumn(column, folding)} like ${bind(foldedPattern(pattern), 'text')}`;
      }
      checkRegex(pattern);
      if (!caseless) return `${column} ~ ${bind(pattern, 'text')}`;
      return `${foldedColumn(column, folding)} ~* ${bind(foldedRegex(pattern), 'text')}`;
    },

    cast: (sql, of, to) => CASTS[to](sql, of),

    aggregate: ({ function: name, of }, sql) => AGGREGATES[name](sql, of),

    // The driver hands these over as text, or rounds them. As a double a stored decimal and a count are exact.
    output: (sql, expression) => {
      const { type } = expression;
      if (isLongNumber(expression)) return `(${sql})::text`;
      return type === 'int8' || type === 'decimal' || type === 'float8' ? `(${sql})::float8` : undefined;
    },

    nullOf: (type) => `null::${TYPE_NAMES[type]}`,
  };
}

/**
 * Before 17, PostgreSQL looks up every combination of two lists on one indexed column: a few dozen lists would take for
 * ever. The first list of a statement may use the index; the others are tests on what it finds.
 */
const listed = new WeakMap<Bind, Set<string>>();

function isFirstList(bind: Bind, { name }: Field): boolean {
  const names = listed.get(bind) ?? new Set();
  listed.set(bind, names);
  if (names.has(name)) return false;
  names.add(name);
  return true;
}

function withoutIndex(column: string, { type }: Field): string {
  return type === 'text' ? `(${column} || '')` : `(+ ${column})`;
}

const to =
  (type: ScalarType) =>
  (sql: string): string =>
    `(${sql})::${TYPE_NAMES[type]}`;

/** A decimal has no zeros at its end, but for an average, which has as many digits as PostgreSQL gives it. */
const CASTS: Readonly<Record<ScalarType, (sql: string, of: Expression) => string>> = {
  int2: to('int2'),
  int4: to('int4'),
  int8: to('int8'),
  decimal: (sql, of) => (of.type === 'text' ? `trim_scale((${sql})::numeric)` : `(${sql})::numeric`),
  float8: to('float8'),
  bool: to('bool'),
  json: (sql) => sql,
  text: (sql, { kind, type }) => {
    const shown = kind === 'field' && type === 'decimal' ? `trim_scale(${sql})` : `(${sql})`;
    return `(${shown}::text collate "C")`;
  },
};

const trimmed = (sql: string, { type }: Expression) => (type === 'decimal' ? `trim_scale(${sql})` : sql);

const AGGREGATES: Readonly<Record<Aggregate, (sql: string, of: Expression) => string>> = {
  sum: (sql, of) => trimmed(`sum(${sql})`, of),
  avg: (sql) => `avg(${sql})`,
  count: (sql) => `count(${sql})`,
  max: (sql, of) => trimmed(`max(${sql})`, of),
  min: (sql, of) => trimmed(`min(${sql})`, of),
};

/** Any number of values as one parameter. */
function arrayLiteral(values: readonly Value[]): string {
  const items = values.map((value) =>
    typeof value === 'string' ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : String(value),
  );
  return `{${items.join(',')}}`;
}

/** The column types of fields. */
export const COLUMN_TYPES: Readonly<Record<FieldType, string>> = {
  int4: 'integer',
  decimal: 'numeric(12,4)',
  text: 'text collate "C"',
};
