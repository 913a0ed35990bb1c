/**
 * Compiles write plans. Each is one statement: a CTE changes the rows, and over it come the counts and the returned
 * rows, compiled like any read. If the returned rows embed the written collection, a second statement reads them.
 */
import type { Collection, Field } from '../../../collection/declaration.ts';
import type { Row, Value } from '../../../collection/value.ts';
import { readsOwnCollection } from '../../../plan/access/named-fields.ts';
import type { Key } from '../../../plan/keys.ts';
import {
  ALWAYS,
  type Bound,
  type Conflict,
  type DeletePlan,
  fieldOf,
  type InsertPlan,
  isAlways,
  type Predicate,
  type Restriction,
  type UpdatePlan,
  type WritePlan,
} from '../../../plan/types.ts';
import { conflictSql } from '../../sql/conflict.ts';
import type { Scope } from '../../sql/expression.ts';
import { compileBoundedSource, type Output } from '../../sql/output.ts';
import { compilePage } from '../../sql/page.ts';
import { compilePredicate, compileWhere } from '../../sql/predicate.ts';
import { compileOrder, compileShape, scopeOf } from '../../sql/read.ts';
import {
  buildStatement,
  columnList,
  identifier,
  quoteText,
  type SqlDialect,
  type Statement,
} from '../../sql/statement.ts';
import type { Adopted } from '../adopt/adopt.ts';
import { TEXT, textOf } from '../dialect.ts';
import { CHANGED, changedWithin, returnedWithin, SHAPED } from '../read/row-bytes.ts';
import { INPUT_ROWS, recordset, rowsAsJson } from './input-rows.ts';

/** The single result row of every write. */
export interface Written {
  readonly affected: number;
  readonly inserted: number;
  /** The text forms of its key; null unless exactly one row was written. */
  readonly key: readonly string[] | null;
  readonly rows?: readonly Row[];
  /** The stored rows as a JSON list, if a second statement shows them. */
  readonly stored?: string;
  /** The number of rows that violate the role's rules; present if there are rules. */
  readonly refused?: number;
}

export interface WriteContext {
  readonly collection: Collection;
  readonly dialect: SqlDialect;
  readonly adopted: Adopted;
  /** The sequence of an assigned key. */
  readonly sequence: string | undefined;
}

/** The returned rows: their shape and output form. */
export interface Answer {
  readonly shape: NonNullable<WritePlan['returning']>;
  readonly output: Output;
  /** Whether their bytes are counted. */
  readonly isCounted: boolean;
}

/** No collection can have such a name. */
const BEFORE = '"the before"';

/**
 * Distinguishes new rows: the statement sees the table as it was before. (`xmax` would not work in a partitioned
 * table.)
 */
export function isNew({ name }: Collection, conflict: Conflict): string {
  if (conflict === 'refuse' || conflict.overwrite.length === 0) return 'true';
  const same = conflict.on.map(
    (field) => `${BEFORE}.${identifier(field.name)} = ${identifier(name)}.${identifier(field.name)}`,
  );
  return `not exists (select from ${identifier(name)} as ${BEFORE} where ${same.join(' and ')})`;
}

/** The inserted columns; read-only fields are left to the database. */
export function insertHead({ collection, adopted }: WriteContext): { into: string; fields: readonly Field[] } {
  const fields = collection.fields.filter((field) => !field.readOnly || !adopted.fields.has(field));
  const overriding = adopted.overriding.has(collection) ? ' overriding system value' : '';
  return { into: `insert into ${identifier(collection.name)} (${columnList(fields)})${overriding}`, fields };
}

/** The supplied value, or the next key, or the database's default. */
export function insertedValue({ collection, sequence, adopted }: WriteContext, field: Field, column: string): string {
  const next = sequence === undefined ? undefined : `nextval(${quoteText(sequence)})`;
  const fill = adopted.fills.get(field) ?? (field === collection.assigned ? next : undefined);
  return fill === undefined ? column : `coalesce(${column}, ${fill})`;
}

/** Counts input rows that may not be stored, as far as is known before. */
export function compileBefore(context: WriteContext, created: Predicate, rows: string): Statement {
  const { collection, dialect } = context;
  return buildStatement(dialect, (bind) => {
    const given = `select * from ${recordset(context, bind(rows, TEXT), collection.fields)}`;
    const rule = compilePredicate(created, scopeOf(dialect, bind, collection.name));
    return `select count(*)::int4 as refused from (${given}) as ${identifier(collection.name)} where (${rule}) is not true`;
  });
}

/** `rows` are the plan's rows as JSON. */
export function compileInsert(
  context: WriteContext,
  plan: InsertPlan,
  rows: string,
  wanted: Answer | undefined,
): Statement {
  const { collection, dialect } = context;
  const { fields } = collection;
  const head = insertHead(context);
  return buildStatement(dialect, (bind) => {
    const given = bind(rows, TEXT);
    const values = head.fields.map((field) => insertedValue(context, field, `${INPUT_ROWS}.${identifier(field.name)}`));
    const scope = scopeOf(dialect, bind, collection.name);
    const met = plan.restriction?.met && compilePredicate(plan.restriction.met, scope);
    const insert = `${head.into} select ${values.join(', ')} from ${recordset(context, given, fields)}${conflictSql(plan.conflict, met)}`;
    const returning = `${columnList(fields)}, ${isNew(collection, plan.conflict)} as "is new"`;
    return answer(scope, plan, `${insert} returning ${returning}`, wanted);
  });
}

export function compileUpdate(context: WriteContext, plan: UpdatePlan, wanted: Answer | undefined): Statement {
  const { collection, dialect } = context;
  const table = identifier(collection.name);
  return buildStatement(dialect, (bind) => {
    const scope = scopeOf(dialect, bind, collection.name);
    const columns = `${columnList(collection.fields)}, false as "is new"`;
    // A PATCH without fields changes and matches nothing, as in PostgREST.
    if (plan.set.length === 0) {
      return answer(scope, plan, `select ${columns} from ${table} where false`, wanted);
    }
    const set = plan.set.map(({ field, value }) => `${identifier(field.name)} = ${bind(value, field.type)}`).join(', ');
    const target = boundedWhere(collection, scope, plan.where, plan.bound);
    const update = `update ${table} set ${set}${target} returning ${columns}`;
    return answer(scope, plan, update, wanted);
  });
}

export function compileDelete(context: WriteContext, plan: DeletePlan, wanted: Answer | undefined): Statement {
  const { collection, dialect } = context;
  return buildStatement(dialect, (bind) => {
    const scope = scopeOf(dialect, bind, collection.name);
    const target = boundedWhere(collection, scope, plan.where, plan.bound);
    const remove = `delete from ${identifier(collection.name)}${target} returning ${columnList(collection.fields)}, false as "is new"`;
    return answer(scope, plan, remove, wanted);
  });
}

/** The columns of a change's key, beside what it sets. */
function keyColumns({ key }: Collection): readonly Field[] {
  return key.map((field) => ({ ...field, name: `the ${field.name}` }));
}

/** Updates rows that set the same fields, each by its key; returns the keys found. */
export function compileUpdateMany(
  context: WriteContext,
  fields: readonly Field[],
  rows: readonly (readonly Value[])[],
  wantsRows: boolean,
  { met, changed }: Restriction = {},
): Statement {
  const { collection, dialect } = context;
  const table = identifier(collection.name);
  const keys = keyColumns(collection);
  return buildStatement(dialect, (bind) => {
    const given = recordset(context, bind(rowsAsJson([...keys, ...fields], rows), TEXT), [...keys, ...fields]);
    const set = fields.map((field) => `${identifier(field.name)} = ${INPUT_ROWS}.${identifier(field.name)}`).join(', ');
    const same = collection.key.map(
      (field, index) => `${table}.${identifier(field.name)} = ${INPUT_ROWS}.${identifier(keys[index]!.name)}`,
    );
    const scope = scopeOf(dialect, bind, collection.name);
    const key = keyText(keys, (field) => `${INPUT_ROWS}.${identifier(field.name)}`);
    const rule = met === undefined ? '' : ` and (${compilePredicate(met, scope)})`;
    const told = changed === undefined ? '' : `, (${compilePredicate(changed, scope)}) is true as "is allowed"`;
    const update = `update ${table} set ${set} from ${given} where ${same.join(' and ')}${rule} returning ${key} as "the key"${told}`;
    if (!wantsRows) return update;
    const columns = `"the key", ${changed === undefined ? '' : '"is allowed", '}"the row"`;
    return changedWithin(`${update}, row_to_json(${table}.*)::text as "the row"`, columns, '"the row"');
  });
}

/** Locks rows in key order, as every bulk update does, which prevents deadlocks. */
export function compileLock(context: WriteContext, keys: readonly Key[], met?: Predicate): Statement {
  const { collection, dialect } = context;
  const table = identifier(collection.name);
  const columns = keyColumns(collection);
  return buildStatement(dialect, (bind) => {
    const given = recordset(context, bind(rowsAsJson(columns, keys), TEXT), columns);
    const same = collection.key.map(
      (field, index) => `${table}.${identifier(field.name)} = ${INPUT_ROWS}.${identifier(columns[index]!.name)}`,
    );
    const rule = met === undefined ? '' : ` where ${compilePredicate(met, scopeOf(dialect, bind, collection.name))}`;
    return `select 1 from ${table} join ${given} on ${same.join(' and ')}${rule} order by ${qualified(collection)} for update of ${table}`;
  });
}

/** The returned rows over rows changed before, as a JSON list. */
export function compileShown(context: WriteContext, wanted: Answer, rows: string): Statement {
  const { collection, dialect } = context;
  return buildStatement(dialect, (bind) => {
    const given = recordset(context, bind(rows, TEXT), collection.fields);
    return `select (${listOf(wanted, `select * from ${given}`, scopeOf(dialect, bind, collection.name))}) as rows`;
  });
}

/** The text forms of a key as a JSON list, without loss of digits. */
function keyText(fields: readonly Field[], column: (field: Field) => string): string {
  return `json_build_array(${fields.map((field) => textOf(column(field), field.type)).join(', ')})`;
}

function qualified({ name, key }: Collection): string {
  return key.map((field) => `${identifier(name)}.${identifier(field.name)}`).join(', ');
}

/** The returned rows as one JSON list. */
function listOf(wanted: Answer, rows: string, scope: Scope): string {
  const shaped = shapeOver(wanted, rows, scope);
  if (wanted.isCounted) return returnedWithin(shaped);
  return `select coalesce(json_agg(row_to_json(${SHAPED}.*)), '[]') from (${shaped}) as ${SHAPED}`;
}

/** The visible rows among the changed ones, in their order. */
function shapeOver({ shape, output }: Answer, rows: string, scope: Scope): string {
  const asTheyCome = `from (${compileBoundedSource(rows, shape.columns, output, scope)}) as ${identifier(scope.name)}`;
  const inner = { ...scope, stripNulls: output.stripNulls };
  if (isAlways(shape.where)) return compileShape(shape, asTheyCome, output, inner);
  // A join with other tables could change the order.
  const numbered = `from (select *, row_number() over () as "the place" ${asTheyCome}) as ${identifier(scope.name)}`;
  const shown = compileShape(shape, `${numbered} where ${compilePredicate(shape.where, scope)}`, output, inner);
  const isOrdered = shape.order.length > 0 || shape.groupBy !== undefined;
  return isOrdered ? shown : `${shown} order by ${identifier(scope.name)}."the place"`;
}

function answer(scope: Scope, plan: WritePlan, change: string, wanted: Answer | undefined): string {
  const { into, restriction } = plan;
  const key = keyText(into.key, ({ name }) => identifier(name));
  const refused = restriction === undefined ? '' : `, ${refusedOf(restriction, scope)} as refused`;
  const counts = `(select count(*) from ${CHANGED})::int4 as affected, (select count(*) from ${CHANGED} where "is new")::int4 as inserted, (select ${key} from ${CHANGED} where (select count(*) from ${CHANGED}) = 1) as key${refused}`;
  const changed = `with ${CHANGED} as (${change}) select ${counts}`;
  if (wanted === undefined) return changed;
  const rows = `select * from ${CHANGED}`;
  if (isShownAfter(plan)) return `${changed}, (${returnedWithin(rows)})::text as stored`;
  return `${changed}, (${listOf(wanted, rows, scope)}) as rows`;
}

/**
 * Whether a second statement reads the returned rows: a statement sees the tables as they were before it, and embedded
 * rows may lead back to them. Deleted rows are returned as they were before.
 */
export function isShownAfter({ kind, into, returning }: WritePlan): boolean {
  return kind !== 'delete' && returning !== undefined && readsOwnCollection(into, returning);
}

/** Counts changed rows that violate the rules. */
function refusedOf({ created = ALWAYS, changed = ALWAYS }: Restriction, scope: Scope): string {
  const [asNew, asChanged] = [compilePredicate(created, scope), compilePredicate(changed, scope)];
  const rule = `case when "is new" then (${asNew})::bool else (${asChanged})::bool end`;
  return `(select count(*) from ${CHANGED} as ${identifier(scope.name)} where (${rule}) is not true)::int4`;
}

/**
 * Locks the rows in key order first: overlapping writes wait for each other without deadlock. As an array they are
 * found once; a subquery with a limit might be evaluated again per row.
 */
function boundedWhere(collection: Collection, scope: Scope, where: Predicate, bound: Bound | undefined): string {
  const matching = compileWhere(where, scope);
  if (bound === undefined && namesOneKey(collection, where)) return matching;
  const keys = qualified(collection);
  const order =
    bound === undefined ? ` order by ${keys}` : `${compileOrder(bound.order, scope)}${compilePage(bound, scope.bind)}`;
  const key = collection.key.length === 1 ? keys : `row(${keys})::text`;
  const taken = `${key} = any(array(select ${key} from ${identifier(collection.name)}${matching}${order} for update))`;
  return matching === '' ? ` where ${taken}` : `${matching} and ${taken}`;
}

function namesOneKey({ key }: Collection, where: Predicate): boolean {
  return key.length === 1 && where.kind === 'compare' && where.operator === '=' && fieldOf(where.of) === key[0];
}
