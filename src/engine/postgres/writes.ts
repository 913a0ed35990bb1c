/**
 * Write plans in SQL. Each is one statement: the rows it changes are a CTE, and over it come the counts and, where the
 * client wants them back, the rows in the shape asked for, by the same compiler that shapes every read.
 */
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Row, Value } from '../../collection/value.ts';
import type { Bound, DeletePlan, InsertPlan, Predicate, Shape, UpdatePlan } from '../../plan/types.ts';
import { conflictSql } from '../compile/conflict.ts';
import { compileWhere } from '../compile/predicate.ts';
import { compileOrder, compilePage, compileShape } from '../compile/read.ts';
import { type Bind, buildStatement, identifier, type SqlDialect, type Statement } from '../compile/statement.ts';
import { keptNames } from './column-names.ts';
import { TYPE_NAMES } from './dialect.ts';
import { quoteText } from './driver.ts';

/** The one row that every write answers with. */
export interface Written {
  readonly affected: number;
  readonly inserted: number;
  /** Null unless exactly one row was written. */
  readonly key: Value;
  readonly rows?: readonly Row[];
}

export interface WriteContext {
  readonly collection: Collection;
  readonly dialect: SqlDialect;
  /** What assigns keys. */
  readonly sequence: string;
}

/**
 * Tells a new row from one that was there: the statement sees the table as it was before it. (A row's `xmax` would tell,
 * too, but not in a partitioned table.)
 */
export function isNew({ name, key }: Collection, conflict: InsertPlan['conflict']): string {
  if (!overwrites(conflict)) return 'true';
  const column = identifier(key.name);
  return `not exists (select from ${identifier(name)} as before where before.${column} = ${identifier(name)}.${column})`;
}

function overwrites(conflict: InsertPlan['conflict']): boolean {
  return typeof conflict === 'object' && conflict.overwrite.length > 0;
}

export function compileInsert({ collection, dialect, sequence }: WriteContext, plan: InsertPlan): Statement {
  const { fields, key } = collection;
  return buildStatement(dialect, (bind) => {
    const given = bind(rowsAsJson(fields, plan.rows), 'text');
    const values = fields.map((field) =>
      field.name === key.name
        ? `coalesce(given.${identifier(field.name)}, nextval(${quoteText(sequence)}))`
        : `given.${identifier(field.name)}`,
    );
    const insert = `insert into ${identifier(collection.name)} (${columnList(fields)}) select ${values.join(', ')} from ${recordset(given, fields)}${conflictSql(collection, plan.conflict)}`;
    const returning = `${columnList(fields)}, ${isNew(collection, plan.conflict)} as "is new"`;
    return answer(collection, dialect, `${insert} returning ${returning}`, plan.returning);
  });
}

export function compileUpdate({ collection, dialect }: WriteContext, plan: UpdatePlan): Statement {
  const table = identifier(collection.name);
  return buildStatement(dialect, (bind) => {
    const columns = `${columnList(collection.fields)}, false as "is new"`;
    // Nothing to set changes nothing, and matches nothing, as in PostgREST.
    if (plan.set.length === 0) {
      return answer(collection, dialect, `select ${columns} from ${table} where false`, plan.returning);
    }
    const set = plan.set.map(({ field, value }) => `${identifier(field.name)} = ${bind(value, field.type)}`).join(', ');
    const target = boundedWhere(collection, dialect, plan.where, plan.bound, bind);
    const update = `update ${table} set ${set}${target} returning ${columns}`;
    return answer(collection, dialect, update, inKeyOrder(collection, plan.returning));
  });
}

export function compileDelete({ collection, dialect }: WriteContext, plan: DeletePlan): Statement {
  return buildStatement(dialect, (bind) => {
    const target = boundedWhere(collection, dialect, plan.where, plan.bound, bind);
    const remove = `delete from ${identifier(collection.name)}${target} returning ${columnList(collection.fields)}, false as "is new"`;
    return answer(collection, dialect, remove, inKeyOrder(collection, plan.returning));
  });
}

/** Rows that differ in their values only, each changed by its key; the answer names the keys that were met. */
export function compileUpdateMany(
  { collection, dialect }: WriteContext,
  fields: readonly Field[],
  rows: readonly (readonly Value[])[],
): Statement {
  const table = identifier(collection.name);
  const key = identifier(collection.key.name);
  return buildStatement(dialect, (bind) => {
    const given = recordset(bind(rowsAsJson(fields, rows, collection.key), 'text'), fields, '"the key" int4, ');
    const set = fields.map((field) => `${identifier(field.name)} = given.${identifier(field.name)}`).join(', ');
    const columns = collection.fields.map((field) => `${table}.${identifier(field.name)}`).join(', ');
    return `update ${table} set ${set} from ${given} where ${table}.${key} = given."the key" returning given."the key", ${columns}`;
  });
}

/** Takes the rows in the order of their keys, as every bulk update does, so that no two of them wait for each other. */
export function compileLock({ collection, dialect }: WriteContext, keys: readonly Value[]): Statement {
  const key = identifier(collection.key.name);
  return buildStatement(dialect, (bind) => {
    const isOneOf = dialect.memberOf(collection.key, keys, bind);
    return `select ${key} from ${identifier(collection.name)} where ${isOneOf} order by ${key} for update`;
  });
}

/** The shape of an answer over rows that were gathered one by one. */
export function compileGathered({ collection, dialect }: WriteContext, shape: Shape, rows: readonly Row[]): Statement {
  return buildStatement(dialect, (bind) => {
    const given = recordset(bind(JSON.stringify(rows), 'text'), collection.fields, '', collection.name);
    return compileShape(keptNames(shape), collection.name, `from ${given}`, dialect);
  });
}

function answer(collection: Collection, dialect: SqlDialect, change: string, shape: Shape | undefined): string {
  const counts = `(select count(*) from changed)::int4 as affected, (select count(*) from changed where "is new")::int4 as inserted, (select min(${identifier(collection.key.name)}) from changed having count(*) = 1) as key`;
  if (shape === undefined) return `with changed as (${change}) select ${counts}`;
  const shaped = compileShape(
    keptNames(shape),
    collection.name,
    `from changed as ${identifier(collection.name)}`,
    dialect,
  );
  const rows = `(select coalesce(json_agg(row_to_json(shaped)), '[]') from (${shaped}) as shaped) as rows`;
  return `with changed as (${change}) select ${counts}, ${rows}`;
}

/** An update meets its rows in whatever order they lie; a client should not have to see that. */
function inKeyOrder({ key }: Collection, shape: Shape | undefined): Shape | undefined {
  if (shape === undefined || shape.groupBy !== undefined || shape.order.length > 0) return shape;
  return { ...shape, order: [{ expression: { kind: 'field', field: key, type: key.type }, descending: false }] };
}

/** The rows are taken in the order of their keys first: two writes that overlap wait for each other, never in a circle. */
function boundedWhere(
  collection: Collection,
  dialect: SqlDialect,
  where: Predicate,
  bound: Bound | undefined,
  bind: Bind,
): string {
  const matching = compileWhere(where, dialect, bind);
  const key = identifier(collection.key.name);
  if (bound === undefined && namesOneKey(collection, where)) return matching;
  const order =
    bound === undefined
      ? ` order by ${key}`
      : `${compileOrder(bound.order, collection.name, dialect)}${compilePage(bound, bind)}`;
  return ` where ${key} in (select ${key} from ${identifier(collection.name)}${matching}${order} for update)`;
}

function namesOneKey({ key }: Collection, where: Predicate): boolean {
  return where.kind === 'compare' && where.operator === '=' && where.field.name === key.name;
}

/** Any number of rows as one parameter: a statement takes no more than 65,535 of them. */
export function rowsAsJson(
  fields: readonly Field[],
  rows: readonly (readonly (Value | undefined)[])[],
  key?: Field,
): string {
  const names = key === undefined ? fields.map((field) => field.name) : ['the key', ...fields.map(({ name }) => name)];
  return JSON.stringify(rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]]))));
}

function recordset(json: string, fields: readonly Field[], before = '', name = 'given'): string {
  const columns = fields.map((field) => `${identifier(field.name)} ${recordType(field)}`).join(', ');
  return `json_to_recordset(${json}::json) as ${identifier(name)} (${before}${columns})`;
}

function recordType({ type }: Field): string {
  return type === 'text' ? 'text collate "C"' : TYPE_NAMES[type];
}

function columnList(fields: readonly Field[]): string {
  return fields.map((field) => identifier(field.name)).join(', ');
}
