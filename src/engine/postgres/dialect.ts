/** PostgreSQL's share of the SQL: typed placeholders, its own operators, JSON of its own making where there is no plainer way. */
import { builtIn } from '../../collection/types/index.ts';
import { can, type Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { Containment } from '../../plan/types.ts';
import { checkLike } from '../../text/like.ts';
import { checkRegex } from '../../text/regex.ts';
import type { Bind, Operand, SqlDialect } from '../compile/statement.ts';
import { quoteText } from './driver.ts';
import { type Folding, foldedColumn, foldedPattern, foldedRegex } from './folding.ts';
import { comparePrefixes, hasPrefixIndex, prefix, prefixOf } from './prefix-index.ts';
import { rowsWithin } from './row-bytes.ts';
import { type Configurations, searchTest } from './search.ts';

export const TEXT = builtIn('text');

const CONTAINMENTS: Readonly<Record<Containment, string>> = { cs: '@>', cd: '<@', ov: '&&' };

export function postgresDialect(folding: Folding, configurations: Configurations): SqlDialect {
  return {
    name: 'postgres',
    placeholder: (position, type) => (type === undefined ? `$${position}` : `$${position}::${comparedAs(type)}`),

    stored: (value) => (typeof value === 'bigint' ? value.toString() : value),

    memberOf(operand, values, bind) {
      const { sql, of } = operand;
      if (values.length === 1) {
        const value = bind(values[0]!, of.type);
        return comparePrefixes(operand, '=', value) ?? `${sql} = ${value}`;
      }
      const isOneOf = (column: string, list: readonly Value[]) =>
        `${column} = any(${bind(arrayLiteral(list), TEXT)}::${comparedAs(of.type)}[])`;
      if (!isFirstList(bind, sql)) return isOneOf(withoutIndex(operand), values);
      if (!hasPrefixIndex(of)) return isOneOf(sql, values);
      return `(${isOneOf(prefix(sql), values.map(prefixOf))} and ${isOneOf(sql, values)})`;
    },

    rowsWithin,
    compare: comparePrefixes,
    orderedBy: ({ sql, of }) => (hasPrefixIndex(of) ? [prefix(sql), sql] : [sql]),

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

    contains: ({ sql }, operator, value) => `${sql} ${CONTAINMENTS[operator]} ${value}`,

    path(sql, { of, steps, type }, bind) {
      const json = can(of.type, 'json') ? sql : `to_jsonb(${sql})`;
      const inside = steps.reduce((path, { arrow, key }) => {
        return `${path} ${arrow} ${/^-?\d+$/.test(key) ? `${Number(key)}` : bind(key, TEXT)}`;
      }, json);
      return can(type, 'text') ? `((${inside}) collate "C")` : `(${inside})`;
    },

    cast(sql, from, to) {
      const special = from.postgres.casts?.[to.kind]?.(sql);
      if (special !== undefined) return special;
      return can(to, 'text') ? `(${from.postgres.text(sql)} collate "C")` : `(${sql})::${to.postgres.name}`;
    },

    aggregate: ({ function: name, of }, sql) => of.type.postgres.aggregate?.[name]?.(sql) ?? `${name}(${sql})`,

    plain: (type) => type.postgres.plain,
    json: (sql, type) => type.postgres.json(sql),
    text: (sql, type) => type.postgres.text(sql),

    // Not json_build_object: a function takes no more than a hundred arguments.
    rowAsJson(members, stripNulls) {
      const texts = members.map(([name, sql], index) => {
        const key = quoteText(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
        return `${key} || coalesce(to_json(${sql})::text, 'null')`;
      });
      const row = `(${texts.join(' || ')} || '}')`;
      return stripNulls ? `json_strip_nulls(${row}::json)::text` : row;
    },

    nullOf: (type) => `null::${type.postgres.name}`,
  };
}

/** Values of a field are compared without the bounds of what it stores: 1.00001 is no decimal(12,4), and yet a number. */
function comparedAs(type: Type): string {
  return type.postgres.name.replace(/^numeric\(.*/, 'numeric');
}

/**
 * Before 17, PostgreSQL looks up every combination of two lists on one indexed column: a few dozen lists would take for
 * ever. The first list of a statement may use the index; the others are tests on what it finds.
 */
const listed = new WeakMap<Bind, Set<string>>();

function isFirstList(bind: Bind, column: string): boolean {
  const names = listed.get(bind) ?? new Set();
  listed.set(bind, names);
  if (names.has(column)) return false;
  names.add(column);
  return true;
}

function withoutIndex({ sql, of }: Operand): string {
  if (can(of.type, 'text')) return `(${sql} || '')`;
  return can(of.type, 'number') ? `(+ ${sql})` : `coalesce(${sql})`;
}

/** Any number of values as one parameter. */
function arrayLiteral(values: readonly Value[]): string {
  const items = values.map((value) =>
    typeof value === 'string' ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : String(value),
  );
  return `{${items.join(',')}}`;
}

/** The type of a field's column: text is compared by code point. */
export function columnType(type: Type): string {
  return can(type, 'text') ? `${type.postgres.name} collate "C"` : type.postgres.name;
}
