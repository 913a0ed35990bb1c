/** PostgreSQL's share of the SQL: typed placeholders, its own text operators, numbers as JSON has them. */
import type { Field } from '../../collection/declaration.ts';
import type { FieldType } from '../../collection/field-types.ts';
import type { Value } from '../../collection/value.ts';
import type { Aggregate } from '../../dialect/tree.ts';
import type { Expression, ScalarType } from '../../plan/types.ts';
import { type Bind, identifier, type SqlDialect } from '../compile/statement.ts';
import { checkLike } from '../text/like.ts';
import { checkRegex } from '../text/regex.ts';
import { type Folding, foldedColumn, foldedPattern, foldedRegex } from './folding.ts';
import { comparePrefixes, hasPrefixIndex, prefix, prefixOf } from './prefix-index.ts';
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
        return comparePrefixes(field, '=', value) ?? `${column} = ${value}`;
      }
      const isOneOf = (sql: string, list: readonly Value[]) =>
        `${sql} = any(${bind(arrayLiteral(list), 'text')}::${TYPE_NAMES[field.type]}[])`;
      if (!isFirstList(bind, field)) return isOneOf(withoutIndex(column, field), values);
      if (!hasPrefixIndex(field)) return isOneOf(column, values);
      return `(${isOneOf(prefix(column), values.map(prefixOf))} and ${isOneOf(column, values)})`;
    },

    compare: comparePrefixes,
    orderedBy: (sql, field) => (hasPrefixIndex(field) ? [prefix(sql), sql] : [sql]),

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

    cast: (sql, from, to) => CASTS[to](sql, from),

    aggregate: ({ function: name, of }, sql) => AGGREGATES[name](sql, of),

    // The driver hands these three over as text. As doubles they are JSON numbers without trailing zeros, and exact:
    // a decimal has at most 12 digits, and no count reaches 2^53.
    output: (sql, type) => (type === 'int8' || type === 'decimal' || type === 'float8' ? `(${sql})::float8` : sql),

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

const to = (type: string) => (sql: string, from: ScalarType) =>
  // Halves go away from zero with a numeric, and to the even neighbour with a double.
  from === 'float8' || from === 'decimal' ? `(${sql})::numeric::${type}` : `(${sql})::${type}`;

const CASTS: Readonly<Record<ScalarType, (sql: string, from: ScalarType) => string>> = {
  int2: to('int2'),
  int4: to('int4'),
  int8: to('int8'),
  decimal: (sql) => `(${sql})::numeric`,
  float8: (sql) => `(${sql})::float8`,
  bool: (sql) => `(${sql})::bool`,
  json: (sql) => sql,
  text: (sql, from) => {
    const plain = from === 'decimal' || from === 'float8' ? `trim_scale((${sql})::numeric)` : `(${sql})`;
    return `(${plain}::text collate "C")`;
  },
};

/** Averages are divided as doubles, in the same steps as on SQLite, so that they agree to the last digit. */
const AGGREGATES: Readonly<Record<Aggregate, (sql: string, of: Expression) => string>> = {
  sum: (sql) => `sum(${sql})`,
  avg: (sql, of) =>
    of.type === 'decimal'
      ? `((sum(${sql}) * 10000)::float8 / 10000 / count(${sql}))`
      : `(sum(${sql})::float8 / count(${sql}))`,
  count: (sql) => `count(${sql})`,
  max: (sql) => `max(${sql})`,
  min: (sql) => `min(${sql})`,
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
