/** Questions of a migration about stored rows, in SQL for both engines: how many rows prevent it. */
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import { quote } from '../../dialect/names.ts';
import type { StoredRow } from '../../plan/write-plan.ts';
import { identifier } from '../sql/statement.ts';
import { type CollectionPair, type Comparison, ofKind } from './changes.ts';

/** The permission to treat conflicting rows like this, in the syntax of `--allow`. */
export function permission(remedy: 'drop' | 'convert' | 'fill' | 'clear', collection: string, field?: string): string {
  return `${remedy}:${permissionName(collection)}${field === undefined ? '' : `.${permissionName(field)}`}`;
}

/** Names with other signs than letters, digits and _ are quoted, as in the query language. */
function permissionName(name: string): string {
  return /^[\p{L}\p{N}_]+$/u.test(name) ? name : quote(name);
}

/** A field after the migration, and its current column. */
export interface TargetColumn {
  readonly field: Field;
  /** Undefined for a new field, which gets its default. */
  readonly column?: { readonly name: string; readonly type: Type };
  /** For a field that is computed again: the fields that it uses. */
  readonly computed?: { readonly of: Collection; readonly from: ReadonlyMap<string, TargetColumn> };
}

/** Each is answered by a number of rows. */
export type Question =
  | { readonly kind: 'rows'; readonly table: string }
  /** A column to be dropped. */
  | { readonly kind: 'values'; readonly table: string; readonly column: string }
  | { readonly kind: 'nulls' | 'unreadable' | 'broken'; readonly table: string; readonly of: TargetColumn }
  | { readonly kind: 'repeated'; readonly table: string; readonly of: readonly TargetColumn[] }
  | { readonly kind: 'dangling'; readonly table: string; readonly of: TargetColumn; readonly to: Target };

/** The target of references: an existing key, or the initial rows of a new collection. */
export type Target =
  | { readonly table: string; readonly key: TargetColumn }
  | { readonly keys: readonly Value[]; readonly type: Type };

export type FirstRows = (collection: Collection) => readonly StoredRow[];

export function targetColumn(pair: CollectionPair, field: Field): TargetColumn {
  const column = pair.origin(field);
  if (column === undefined && field.computed !== undefined) {
    const from = field.computed.uses.map((name) => [name, targetColumn(pair, pair.now.byName.get(name)!)] as const);
    return { field, computed: { of: pair.now, from: new Map(from) } };
  }
  return column === undefined ? { field } : { field, column: { name: column.name, type: column.type } };
}

export function targetOf(to: string, { pairs, requirement }: Comparison, firstRows: FirstRows): Target {
  const collection = requirement.catalogue.collections.get(to)!;
  const key = collection.key[0]!;
  const pair = pairs.get(to);
  if (pair === undefined) return { table: to, key: { field: key, column: { name: key.name, type: key.type } } };
  if (pair.before !== undefined) return { table: pair.before.name, key: targetColumn(pair, key) };
  const place = collection.fields.indexOf(key);
  return { keys: firstRows(collection).flatMap((row) => row[place] ?? []), type: key.type };
}

export function fieldsIn(question: Question): readonly Field[] {
  if (question.kind === 'rows' || question.kind === 'values') return [];
  const fieldsOf = ({ field, computed }: TargetColumn) => [
    field,
    ...[...(computed?.from.values() ?? [])].map((each) => each.field),
  ];
  if (question.kind === 'repeated') return question.of.flatMap(fieldsOf);
  const to = question.kind === 'dangling' && 'key' in question.to ? [question.to.key.field] : [];
  return [...fieldsOf(question.of), ...to];
}

/** The differences between the engines in the rules of a field. */
export interface RuleSql {
  readonly literal: (value: Value, type: Type) => string;
  readonly length: string;
  /** The function that counts the elements of an array. */
  readonly count: string;
}

export interface ValueSql extends RuleSql {
  /** The future value of a row's field; undefined if each row gets its own. */
  readonly value: (coming: TargetColumn) => string | undefined;
  readonly matches: (sql: string, pattern: string) => string;
}

type Countable = Exclude<Question, { kind: 'unreadable' }>;

/** Returns a count; undefined if no row can conflict. */
export function questionSql(question: Countable, sql: ValueSql): string | undefined {
  const table = identifier(question.table);
  const count = (condition: string) => `select count(*) from ${table} where ${condition}`;
  if (question.kind === 'rows') return `select count(*) from ${table}`;
  if (question.kind === 'values') return count(`${identifier(question.column)} is not null`);
  if (question.kind === 'repeated') return repeatedSql(table, question.of.map(sql.value));
  const value = sql.value(question.of);
  if (value === undefined) return undefined;
  switch (question.kind) {
    case 'nulls':
      return count(`${value} is null`);
    case 'broken': {
      const rules = rulesSql(question.of.field, value, sql);
      return rules === undefined ? undefined : count(`not (${rules})`);
    }
    case 'dangling':
      return count(danglingSql(value, question.to, sql));
  }
}

/** The value of a computed field over the stored columns; undefined if one of them is not known before. */
export function computedValue(
  { computed }: TargetColumn,
  { value }: Pick<ValueSql, 'value'>,
  compile: (of: Collection, column: (name: string) => string) => string,
): string | undefined {
  const columns = new Map([...computed!.from].map(([name, each]) => [name, value(each)]));
  if ([...columns.values()].includes(undefined)) return undefined;
  return compile(computed!.of, (name) => columns.get(name)!);
}

/** Counts all but one of the rows that share a value. */
function repeatedSql(table: string, values: readonly (string | undefined)[]): string | undefined {
  const presentValues = values.filter((value) => value !== undefined);
  if (presentValues.length < values.length) return undefined;
  const allPresent = presentValues.map((value) => `${value} is not null`).join(' and ');
  const groups = `select count(*) - 1 as more from (select ${presentValues.map((value, index) => `${value} as v${index}`).join(', ')} from ${table} where ${allPresent}) as given
    group by ${presentValues.map((_, index) => `v${index}`).join(', ')} having count(*) > 1`;
  return `select coalesce(sum(more), 0) from (${groups}) as repeated`;
}

/** The rules of a field, except its pattern. */
export function ruleConditions({ type, rules }: Field, sql: string, { literal, length, count }: RuleSql): string[] {
  const { minimum, maximum, maxLength, oneOf, maxCount } = rules;
  return [
    ...(minimum === undefined ? [] : [`${sql} >= ${literal(minimum, type)}`]),
    ...(maximum === undefined ? [] : [`${sql} <= ${literal(maximum, type)}`]),
    ...(maxLength === undefined ? [] : [`${length}(${sql}) <= ${maxLength}`]),
    ...(maxCount === undefined ? [] : [`${count}(${sql}) <= ${maxCount}`]),
    ...(oneOf === undefined ? [] : [`${sql} in (${oneOf.map((value) => literal(value, type)).join(', ')})`]),
  ];
}

/** The condition of all rules; undefined if the field has none. */
export function rulesSql(field: Field, sql: string, values: ValueSql): string | undefined {
  const { pattern } = field.rules;
  const conditions = ruleConditions(field, sql, values);
  if (pattern !== undefined) conditions.push(values.matches(sql, pattern));
  return conditions.length === 0 ? undefined : conditions.join(' and ');
}

export function clearDanglingSql(
  { requirement, changes }: Comparison,
  allowed: readonly string[],
  values: ValueSql,
): string[] {
  return ofKind(changes, 'add-reference').flatMap(({ collection, reference }) => {
    if (!('field' in reference)) return [];
    const { field, to } = reference;
    if (!allowed.includes(permission('clear', collection.name, field.name))) return [];
    const column = identifier(field.name);
    const key = requirement.catalogue.collections.get(to)!.key[0]!;
    const isDangling = danglingSql(column, { table: to, key: { field: key, column: key } }, values);
    return [`update ${identifier(collection.name)} set ${column} = null where ${isDangling}`];
  });
}

/** A condition on the referencing row. */
function danglingSql(
  value: string,
  to: Extract<Question, { kind: 'dangling' }>['to'],
  sql: Pick<ValueSql, 'literal' | 'value'>,
): string {
  if ('keys' in to) {
    const keys = to.keys.map((key) => sql.literal(key, to.type)).join(', ');
    return keys === '' ? `${value} is not null` : `${value} not in (${keys})`;
  }
  const key = sql.value(to.key) ?? 'null';
  return `${value} is not null and ${value} not in (select ${key} from ${identifier(to.table)} where ${key} is not null)`;
}
