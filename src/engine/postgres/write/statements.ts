/**
 * Compiles write plans. Each is one statement: a CTE changes the rows, and over it come the counts and the returned
 * rows, compiled like any read. If the returned rows embed the written collection, a second statement reads them.
 */
import { type Collection, type Field, writtenFields } from '../../../collection/declaration.ts';
import { builtIn } from '../../../collection/types/index.ts';
import { can, type Type } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { ALWAYS, fieldOf, type Predicate } from '../../../plan/types.ts';
import type {
  Bound,
  Conflict,
  DeletePlan,
  InsertPlan,
  Origin,
  Restriction,
  UpdatePlan,
} from '../../../plan/write-plan.ts';
import type { LateRules } from '../../shared/plan-keys.ts';
import { assignedSql, boundValue, conflictSql, orCopied } from '../../sql/assignment.ts';
import type { Scope } from '../../sql/expression.ts';
import { compilePage } from '../../sql/expression.ts';
import { compilePredicate, compileWhere } from '../../sql/predicate.ts';
import { compileOrder, scopeOf } from '../../sql/read.ts';
import {
  type Bind,
  buildStatement,
  columnList,
  identifier,
  quoteText,
  type SqlDialect,
  type Statement,
} from '../../sql/statement.ts';
import { TEXT, textOf } from '../dialect.ts';
import { originColumn } from '../history/log.ts';
import { onlyLogTrigger, sharedOrigins } from '../history/triggers.ts';
import { isRaised, raisedText, raiseIf } from '../raise.ts';
import { CHANGED_ROWS, returnedWithin } from '../read/row-bytes.ts';
import { INPUT_ROWS, recordset, storedRecordset } from './input-rows.ts';
import { listOf, neededFields, type ReturnedRows } from './returned-rows.ts';
import type { WriteContext } from './step.ts';

/** No collection can have such a name. */
const EXISTING_ROWS = '" existing rows"';

/**
 * Distinguishes new rows: the statement sees the table as it was before. (`xmax` would not work in a partitioned
 * table.)
 */
export function isNew({ name }: Collection, conflict: Conflict): string {
  if (conflict === 'refuse' || conflict.overwrite.length === 0) return 'true';
  const same = conflict.on.map(
    (field) => `${EXISTING_ROWS}.${identifier(field.name)} = ${identifier(name)}.${identifier(field.name)}`,
  );
  return `not exists (select from ${identifier(name)} as ${EXISTING_ROWS} where ${same.join(' and ')})`;
}

/**
 * The inserted columns. Read-only fields are left to the database, and of an adopted table also fields that no row
 * gives: a view passes on the defaults of its table. A role of the database gets exactly the fields that it gives, and
 * no value for an identity column that is always generated.
 */
export function insertHead(
  { collection, adopted, isRestricted }: WriteContext,
  given: readonly Field[] = collection.fields,
): { into: string; fields: readonly Field[] } {
  const isFilled = (field: Field) => field.default !== undefined || field.generated !== undefined || field.filled;
  const writable = writtenFields(collection).filter((field) => !field.readOnly || !adopted.fields.has(field));
  const needed = writable.filter(
    (field) => !adopted.fields.has(field) || given.includes(field) || field === collection.assigned || isFilled(field),
  );
  const fields = isRestricted ? given : needed.length === 0 ? writable : needed;
  const overriding = adopted.overriding.has(collection) && !isRestricted ? ' overriding system value' : '';
  // Rows without columns have all defaults.
  const columns = fields.length === 0 ? '' : ` (${columnList(fields)})${overriding}`;
  return { into: `insert into ${identifier(collection.name)}${columns}`, fields };
}

/** The supplied value, or the next key, the value of a referenced row, or the database's default. */
export function insertedValue({ collection, sequence, adopted }: WriteContext, field: Field, row: string): string {
  const column = orCopied(collection, field, (name) => `${row}.${identifier(name)}`);
  const next = sequence === undefined ? undefined : `nextval(${quoteText(sequence)})`;
  const fill = adopted.fills.get(field) ?? (field === collection.assigned ? next : undefined);
  return fill === undefined ? column : `coalesce(${column}, ${fill})`;
}

/** Finds the first input row that may not be stored, as far as is known before. */
export function compileBefore(context: WriteContext, created: Predicate, rows: string): Statement {
  const { collection, dialect } = context;
  return buildStatement(dialect, (bind) => {
    const input = `select *, row_number() over () - 1 as " row index" from ${recordset(context, bind(rows, TEXT), collection.fields)}`;
    const rule = compilePredicate(created, scopeOf(dialect, bind, collection.name));
    return `select min(" row index")::int4 as refused from (${input}) as ${identifier(collection.name)} where (${rule}) is not true`;
  });
}

type OneStatementPlan = InsertPlan | UpdatePlan | DeletePlan;

/** `rows` are the rows of an insert as JSON. `isReadAfter`: the result has the stored rows, for a later statement. */
export function compileWrite(
  context: WriteContext,
  plan: OneStatementPlan,
  rows: string,
  returned: ReturnedRows | undefined,
  isReadAfter: boolean,
): Statement {
  const { collection, dialect } = context;
  return buildStatement(dialect, (bind) => {
    const scope = scopeOf(dialect, bind, collection.name);
    const fields = context.isRestricted ? neededFields(plan, returned) : collection.fields;
    const change = changeSql(context, plan, rows, scope, fields);
    const { key } = collection;
    const { restriction } = plan;
    const keys = key.every((field) => fields.includes(field)) ? keyText(key, dialect) : 'null::json';
    const end = restriction === undefined ? '' : ` where ${areAllowed(restriction, scope, plan.kind === 'insert')}`;
    const by = context.origin === undefined ? '' : `, ${originColumn(context.origin, bind)} as origin`;
    const counts = `(select count(*) from ${CHANGED_ROWS})::int4 as affected, (select count(*) from ${CHANGED_ROWS} where " is new")::int4 as inserted, (select ${keys} from ${CHANGED_ROWS} where (select count(*) from ${CHANGED_ROWS}) = 1) as key${by}`;
    const changed = `with ${CHANGED_ROWS} as (${change}) select ${counts}`;
    const changedRows = `select * from ${CHANGED_ROWS}`;
    if (isReadAfter) return `${changed}, (${returnedWithin(changedRows)})::text as stored${end}`;
    const shown = returned === undefined ? '' : `, (${listOf(returned, changedRows, scope)}) as rows`;
    return `${changed}${shown}${end}`;
  });
}

/**
 * The keys of the new rows, in the order of the input. The statement fails if a trigger of the table skips rows, if
 * rows of different origins have triggers, and with `lockMs` if it waits longer for a locked row.
 */
export function compileInserts(
  context: WriteContext,
  plan: InsertPlan,
  rows: string,
  origins: readonly (Origin | undefined)[],
  lockMs?: number,
): Statement {
  const { collection, dialect } = context;
  return buildStatement(dialect, (bind) => {
    const insert = changeSql(context, plan, rows, scopeOf(dialect, bind, collection.name), collection.fields);
    const key = keyText(collection.key, dialect);
    const [first, ...others] = new Set(origins);
    const origin = others.length === 0 ? first : sharedOrigins(collection, origins);
    const by = origin === undefined ? '' : `${originColumn(origin, bind)} as origin, `;
    const check = others.length === 0 ? '' : `${onlyLogTrigger(collection)} as checked, `;
    // Settings are in force before the rows are inserted, since columns are computed in their order.
    const limit = lockMs === undefined ? '' : `set_config('lock_timeout', '${lockMs}', true) as limit, `;
    const keys = `case count(*) when ${bind(plan.rows.length)} then json_agg(${key}) else ('skipped ' || count(*))::json end`;
    return `with ${CHANGED_ROWS} as (${insert}) select ${check}${limit}${by}(select ${keys} from ${CHANGED_ROWS}) as keys`;
  });
}

/** The change itself. It returns these columns of the changed rows, and whether a row is new. */
function changeSql(
  context: WriteContext,
  plan: OneStatementPlan,
  rows: string,
  scope: Scope,
  fields: readonly Field[],
): string {
  const { collection } = context;
  const returning = (isNew: string) =>
    [...fields.map(({ name }) => identifier(name)), `${isNew} as " is new"`].join(', ');
  const { bind } = scope;
  const table = identifier(collection.name);
  if (plan.kind === 'insert') {
    const head = insertHead(context, plan.given);
    const values = head.fields.map((field) => insertedValue(context, field, INPUT_ROWS));
    const input = recordset(context, bind(rows, TEXT), collection.fields);
    const met = plan.restriction?.met && compilePredicate(plan.restriction.met, scope);
    const insert = `${head.into} select ${values.join(', ')} from ${input}${conflictSql(plan.conflict, met)}`;
    return `${insert} returning ${returning(isNew(collection, plan.conflict))}`;
  }
  const columns = returning('false');
  // A PATCH without fields changes and matches nothing, as in PostgREST.
  if (plan.kind === 'update' && plan.set.length === 0) return `select ${columns} from ${table} where false`;
  if (plan.kind === 'delete') {
    return `delete from ${table}${boundedWhere(context, scope, plan.where, plan.bound)} returning ${columns}`;
  }
  const set = plan.set.map((assignment) => {
    const { value, type } = boundValue(assignment);
    const assigned = assignedSql(collection, assignment, boundForUpdate(context, value, type, bind), context.dialect);
    return `${identifier(assignment.field.name)} = ${assigned}`;
  });
  const where = boundedWhere(context, scope, plan.where, plan.bound);
  return `update ${table} set ${set.join(', ')}${where} returning ${columns}`;
}

/** A value of a foreign type takes the same way as in an insert: from JSON, which may be an object or a list. */
function boundForUpdate(context: WriteContext, value: Value, type: Type, bind: Bind): string {
  if (value === null || !can(type, 'foreign')) return bind(value, type);
  const json = bind(`[{"value":${type.json(value)}}]`, TEXT);
  return `(select value from ${recordset(context, json, [{ name: 'value', type }])})`;
}

/** The text forms of a key as a JSON list, as filters read them, without loss of digits. */
function keyText(key: readonly Field[], dialect: SqlDialect): string {
  const text = (sql: string, type: Type) => dialect.ownText?.(type)?.(sql) ?? textOf(sql, type);
  return `json_build_array(${key.map(({ name, type }) => text(identifier(name), type)).join(', ')})`;
}

export function qualifiedKey({ name, key }: Collection): string {
  return columnList(key, `${identifier(name)}.`);
}

/**
 * Fails if a changed row violates the rules. The statement then ends before its triggers take positions of the log:
 * gaps there would show whether a row that the rules follow is hidden or missing, which violates a foreign key. As in
 * SQLite, a new row is tested before the next one is inserted, and a changed row after all others are changed.
 */
function areAllowed({ created = ALWAYS, changed = ALWAYS }: Restriction, scope: Scope, isInsert = false): string {
  const [ifNew, ifChanged] = [compilePredicate(created, scope), compilePredicate(changed, scope)];
  const rule = `case when " is new" then (${ifNew})::bool else (${ifChanged})::bool end`;
  const refused = `from ${CHANGED_ROWS} as ${identifier(scope.name)} where (${rule}) is not true`;
  return raiseIf(isInsert ? `exists (select ${refused})` : `(select count(*) ${refused}) > 0`, NOT_ALLOWED);
}

const NOT_ALLOWED = raisedText('a row is not allowed');

/** For a statement that returns the changed rows. */
export function isAllowed(rule: Predicate, scope: Scope): string {
  return raiseIf(`(${compilePredicate(rule, scope)}) is not true`, NOT_ALLOWED);
}

export function isNotAllowed(error: unknown): boolean {
  return isRaised(error, NOT_ALLOWED);
}

const IS_NEW = { name: ' is new', type: builtIn('boolean') };

/** The same for rows that are stored, as a JSON list: a statement sees the tables as they were before it. */
export function compileLateTest(context: WriteContext, rules: LateRules, rows: string): Statement {
  const { collection, dialect } = context;
  return buildStatement(dialect, (bind) => {
    const input = storedRecordset(context, bind(rows, TEXT), [...collection.fields, IS_NEW]);
    const rule = areAllowed(rules, scopeOf(dialect, bind, collection.name));
    return `with ${CHANGED_ROWS} as (select * from ${input}) select where ${rule}`;
  });
}

/**
 * Locks the rows in key order first: overlapping writes wait for each other without deadlock. As an array they are
 * found once; a subquery with a limit might be evaluated again per row.
 */
function boundedWhere(
  { collection, isRestricted }: WriteContext,
  scope: Scope,
  where: Predicate,
  bound: Bound | undefined,
): string {
  const matching = compileWhere(where, scope);
  const isUnlocked = isRestricted || collection.key.length === 0 || namesOneKey(collection, where);
  if (bound === undefined && isUnlocked) return matching;
  const keys = qualifiedKey(collection);
  const order =
    bound === undefined ? ` order by ${keys}` : `${compileOrder(bound.order, scope)}${compilePage(bound, scope.bind)}`;
  const key = collection.key.length === 1 ? keys : `row(${keys})::text`;
  const taken = `${key} = any(array(select ${key} from ${identifier(collection.name)}${matching}${order}${isRestricted ? '' : ' for update'}))`;
  return matching === '' ? ` where ${taken}` : `${matching} and ${taken}`;
}

/** Locks rows in key order, for changes that follow. */
export function compileRowLock({ collection, dialect }: WriteContext, where: Predicate): Statement {
  return buildStatement(dialect, (bind) => {
    const matching = compileWhere(where, scopeOf(dialect, bind, collection.name));
    return `select 1 from ${identifier(collection.name)}${matching} order by ${qualifiedKey(collection)} for update of ${identifier(collection.name)}`;
  });
}

function namesOneKey({ key }: Collection, where: Predicate): boolean {
  return key.length === 1 && where.kind === 'compare' && where.operator === '=' && fieldOf(where.of) === key[0];
}
