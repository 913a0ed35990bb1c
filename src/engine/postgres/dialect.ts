/** PostgreSQL's SQL dialect: typed placeholders, native operators, JSON built by the database where needed. */
import { memoize } from '../../base/memo.ts';
import { printArrayLiteral } from '../../collection/types/array/array-literal.ts';
import { builtIn } from '../../collection/types/index.ts';
import { isIndex } from '../../collection/types/json/json-path.ts';
import { can, isLong, type Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import { OPERATORS } from '../../dialect/operators.ts';
import { ROW } from '../../encode/encoding.ts';
import { type Comparator, type Expression, fieldOf, namedField } from '../../plan/types.ts';
import { checkLike } from '../../text/like.ts';
import { checkRegex } from '../../text/regex.ts';
import { type Bind, identifier, type JsonColumn, type Operand, quoteText, type SqlDialect } from '../sql/statement.ts';
import { type Adopted, NOTHING_ADOPTED } from './adopt/adopt.ts';
import { type Folding, foldedColumn, foldedPattern, foldedRegex } from './read/folding.ts';
import { listWithin, rowsWithin, valueWithin } from './read/row-bytes.ts';
import { type Configurations, searchTest } from './read/search.ts';
import { comparePrefixes, hasPrefixIndex, prefix, prefixOf } from './schema/prefix-index.ts';

export const TEXT = builtIn('text');

export function postgresDialect(folding: Folding, configurations: Configurations, adopted: Adopted): SqlDialect {
  // Indexes of adopted tables cover whole texts.
  const hasPrefixes = (of: Expression) => hasPrefixIndex(of) && !adopted.fields.has(namedField(of)!);
  const quantity = (of: Expression): string | undefined =>
    of.kind === 'embed' ? quantity(of.plan.columns[0]!.expression) : adopted.comparedAs.get(fieldOf(of)!);
  const compare = (operand: Operand, operator: Comparator | 'is distinct from', value: Value, bind: Bind): string => {
    const bound = bind(value, operand.of.type);
    const type = quantity(operand.of);
    if (type !== undefined) return `(${operand.sql})::${type} ${operator} (${bound})::${type}`;
    const isByPrefix = operator !== 'is distinct from' && hasPrefixes(operand.of);
    const byPrefix = isByPrefix ? comparePrefixes(operand, operator, bound) : undefined;
    return byPrefix ?? `${operand.sql} ${operator} ${bound}`;
  };
  /** A value of a request in the type of its column. */
  const fromText = (sql: string, type: Type, name = comparedAs(type)) => {
    const cast = adopted.casts.get(type)?.fromText;
    return cast === undefined ? `${sql}::${name}` : `${cast}(${sql}::text)`;
  };
  /** A value of a column in the form of answers. */
  const shown = (sql: string, type: Type) => {
    const cast = adopted.casts.get(type)?.toJson;
    return cast === undefined ? sql : `${cast}(${sql})`;
  };
  return {
    name: adopted === NOTHING_ADOPTED ? 'postgres' : `postgres ${++dialectCount}`,
    placeholder: (position, type) =>
      type === undefined ? `$${position}` : fromText(`$${position}`, type, parameterType(type)),

    stored(value, type) {
      const bound = value === null ? null : (type.postgres.bind?.(value) ?? value);
      return typeof bound === 'bigint' ? bound.toString() : bound;
    },

    memberOf(operand, values, bind) {
      const { sql, of } = operand;
      if (values.length === 1) {
        return compare(operand, '=', values[0]!, bind);
      }
      const type = quantity(of);
      if (type !== undefined) return `(${sql})::${type} = any(${bind(arrayLiteral(values, of.type), TEXT)}::${type}[])`;
      const isOneOf = (column: string, list: readonly Value[]) => oneOf(column, of.type, list, bind, fromText);
      if (!isFirstList(bind, sql)) return isOneOf(withoutIndex(operand), values);
      if (!hasPrefixes(of)) return isOneOf(sql, values);
      return `(${isOneOf(prefix(sql), values.map(prefixOf))} and ${isOneOf(sql, values)})`;
    },

    joins: (operand, value) => (hasPrefixes(operand.of) ? comparePrefixes(operand, '=', value) : undefined),
    boundedRows: rowsWithin,
    compare,
    column(sql, field) {
      const type = adopted.readAs.get(field);
      return type === undefined ? sql : `(${sql})::${type}`;
    },
    // A row of a subquery has no type of its own, so it is cast to that of its table.
    callOfRow: (called, name, table) => `${identifier(called)}((${identifier(name)}.*)::${identifier(table)})`,
    orderedBy: ({ sql, of }) => {
      const type = quantity(of);
      if (type !== undefined) return [`(${sql})::${type}`];
      if (of.kind === 'embed') return [collated(sql, of.type)];
      return hasPrefixes(of) ? [prefix(sql), sql] : [sql];
    },
    groupedBy: ({ sql }) => sql,

    textTest(predicate, column, bind) {
      if (predicate.kind === 'search') return searchTest(predicate, column, configurations, bind);
      const { kind, pattern, caseless } = predicate;
      if (kind === 'like') {
        checkLike(pattern);
        if (!caseless) return `${column} like ${bind(pattern, TEXT)}`;
        return `${foldedColumn(column, folding)} like ${bind(foldedPattern(pattern), TEXT)}`;
      }
      checkRegex(pattern);
      if (!caseless) return `${column} ~ ${bind(pattern, TEXT)}`;
      return `${foldedColumn(column, folding)} ~* ${bind(foldedRegex(pattern), TEXT)}`;
    },

    valueTable: (values, type, bind) =>
      `(select unnest(${bind(arrayLiteral(values, type), TEXT)}::${comparedAs(type)}[]) as value)`,
    // Lateral, since the array may belong to another table of the same query.
    elements: (sql) => `lateral (select * from unnest(${sql}) with ordinality as elements (value, key))`,
    isElement: (value, array) => `${array} @> array[${value}]`,
    isListed: (value, query) => `${value} = any(array(${query}))`,

    contains: ({ sql }, operator, value) => `${sql} ${OPERATORS[operator].symbol} ${value}`,

    path(sql, { of, steps, type }, bind) {
      const json = can(of.type, 'json') ? sql : `to_jsonb(${sql})`;
      const inside = steps.reduce((path, { arrow, key }) => `${path} ${arrow} ${step(key, bind)}`, json);
      return collated(`(${inside})`, type);
    },

    cast(sql, from, to) {
      return collated(from.postgres.casts?.[to.kind]?.(sql) ?? `(${shown(sql, from)})::${to.postgres.name}`, to);
    },

    aggregate(name, of, sql) {
      const type = quantity(of);
      if (type !== undefined && name !== 'count') return `${name}((${sql})::${type})::text`;
      return of.type.postgres.aggregate?.[name]?.(sql) ?? `${name}(${sql})`;
    },

    plain: (type) => type.postgres.plain,
    json: (sql, type) => type.postgres.json?.(sql) ?? shown(sql, type),
    text: textOf,
    ownText(type) {
      const { fromText, toJson } = adopted.casts.get(type) ?? {};
      if (fromText === undefined) return undefined;
      return (sql) => (toJson === undefined ? textOf(sql, type) : `(${toJson}(${sql}) #>> '{}')`);
    },
    cell: (sql, type) => type.postgres.cell?.(sql) ?? textOf(shown(sql, type), type),

    // Not json_build_object, since a function takes at most a hundred arguments.
    rowAsJson(members, stripNulls) {
      const texts = members.map(([name, sql], index) => {
        const key = quoteText(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
        return `${key} || coalesce(to_json(${sql})::text, 'null')`;
      });
      const row = `(${texts.join(' || ')} || '}')`;
      return stripNulls ? `json_strip_nulls(${row}::json)::text` : row;
    },

    valueAsJson: (sql, type) => `coalesce(to_json(${type.postgres.json?.(sql) ?? shown(sql, type)})::text, 'null')`,
    listAsJson: (query) =>
      `(select '[' || coalesce(string_agg(${identifier(ROW)}, ','), '') || ']' from (${listWithin(query)}) as listed)`,

    jsonRows(json, columns) {
      const values = columns.map((kind, index) => `${JSON_COLUMNS[kind]('value', index)} as c${index}`);
      // In a subquery, the list is read once, and not when the statement is planned.
      return `(select ${values.join(', ')} from jsonb_array_elements((select ${json}::text::jsonb)))`;
    },

    joinBytes: (one, other) => `${one} || ${other}`,

    operate(column, { field, ...operation }, operand) {
      const result = field.type.operations!.postgres(column, operation, operand);
      return isLong(field.type) ? valueWithin(result, field) : result;
    },

    nullOf: (type) => `null::${type.postgres.name}`,
  };
}

const JSON_COLUMNS: Readonly<Record<JsonColumn, (list: string, index: number) => string>> = {
  number: (list, index) => `(${list} ->> ${index})::int8`,
  text: (list, index) => `(${list} ->> ${index}) collate "C"`,
  texts: (list, index) => `array(select jsonb_array_elements_text(${list} -> ${index}) collate "C")`,
  json: (list, index) => `(${list} ->> ${index})::jsonb`,
  bytes: (list, index) => `decode(${list} ->> ${index}, 'hex')`,
};

/** The dialect of writes: written rows have additional columns, so a function gets the columns of its table by name. */
export function writeDialect(dialect: SqlDialect): SqlDialect {
  return {
    ...dialect,
    name: `${dialect.name} write`,
    callOfRow: (called, name, table) =>
      `${identifier(called)}(json_populate_record(null::${identifier(table)}, to_json(${identifier(name)}.*)))`,
  };
}

/** Distinguishes dialects, so that cached SQL of one is not used for another. */
let dialectCount = 0;

/** Comparisons ignore the bounds of the stored type: 1.00001 is not a decimal(12,4), but still a number. */
function comparedAs({ postgres }: Type): string {
  return postgres.unbounded ?? postgres.name;
}

function parameterType(type: Type): string {
  return type.postgres.parameter ?? comparedAs(type);
}

/**
 * Any number of values as one parameter. A list of arrays would become one array with more dimensions, so they stay
 * texts. A foreign type may be an array.
 */
function oneOf(
  column: string,
  type: Type,
  values: readonly Value[],
  bind: Bind,
  fromText: (sql: string, type: Type) => string,
): string {
  const list = bind(arrayLiteral(values, type), TEXT);
  if (!can(type, 'array') && !can(type, 'foreign')) return `${column} = any(${list}::${comparedAs(type)}[])`;
  return `${column} in (select ${fromText('value', type)} from unnest(${list}::text[]) as listed (value))`;
}

/** The text form, which every type has. */
export function textOf(sql: string, { postgres }: Type): string {
  return postgres.text?.(sql) ?? postgres.casts?.text?.(sql) ?? `(${sql})::text`;
}

function collated(sql: string, { postgres }: Type): string {
  return postgres.collated === true ? `(${sql} collate "C")` : sql;
}

/** The names in a statement's paths: equal names share a parameter, so that grouped and selected expressions match. */
const pathNames = memoize((_statement: Bind) => new Map<string, string>());
const LAST_INDEX = 2 ** 31 - 1;

function step(key: string, bind: Bind): string {
  if (isIndex(key)) return String(Math.max(-LAST_INDEX, Math.min(LAST_INDEX, Number(key))));
  const parameterNames = pathNames(bind);
  const name = parameterNames.get(key) ?? bind(key, TEXT);
  parameterNames.set(key, name);
  return name;
}

/**
 * Before version 17, PostgreSQL tries every combination of two lists on one indexed column, which takes too long for
 * dozens of lists. So the first list of a statement may use the index, and the others only filter.
 */
const columnsWithList = memoize((_statement: Bind) => new Set<string>());

function isFirstList(bind: Bind, column: string): boolean {
  const names = columnsWithList(bind);
  return !names.has(column) && names.add(column).has(column);
}

function withoutIndex({ sql, of }: Operand): string {
  if (can(of.type, 'text')) return `(${sql} || '')`;
  return can(of.type, 'number') ? `(+ ${sql})` : `coalesce(${sql})`;
}

function arrayLiteral(values: readonly Value[], { postgres }: Type): string {
  const items = values.map((value) => {
    const bound = value === null ? null : (postgres.bind?.(value) ?? value);
    return bound === null ? null : String(bound);
  });
  return printArrayLiteral({ items, sizes: [items.length] });
}

/** The type of a field's column: text is compared by code point. */
export function columnType(type: Type): string {
  return type.postgres.collated === true ? `${type.postgres.name} collate "C"` : type.postgres.name;
}
