/**
 * Rejects writes after which a row of a tree would be above itself. The check runs after the rows of a write are
 * stored, inside its transaction, so that their order does not matter. A new circle contains a row that was written, so
 * it is found on the way up from the references that were written.
 */
import type { Collection, Field, Reference } from '../../collection/declaration.ts';
import { circleError, findCircle, treeReferences } from '../../collection/tree.ts';
import type { Value } from '../../collection/value.ts';
import { type Assignment, isOperation, type WritePlan } from '../../plan/write-plan.ts';
import { type Bind, buildStatement, identifier, type SqlDialect, type Statement } from '../sql/statement.ts';
import { withRowIndex } from './write-checks.ts';

/** Whether a write may change the place of stored rows in a tree. Two such writes must not run at once. */
export function mayMove(plan: WritePlan): boolean {
  return treeReferences(plan.into).some((reference) => moves(plan, reference));
}

export function mayClose(plan: WritePlan): boolean {
  if (plan.kind === 'delete') return false;
  return treeReferences(plan.into).some((reference) => writtenKeys(plan, reference)?.length !== 0);
}

function moves(plan: WritePlan, { field }: Reference): boolean {
  if (plan.kind === 'delete') return false;
  if (plan.kind === 'insert') return plan.conflict !== 'refuse' && plan.conflict.overwrite.includes(field);
  return plan.given.includes(field) || plan.given.includes(plan.into.key[0]!);
}

/** The reads of a check: which rows refer to themselves before the write, and the rows above the written ones. */
export interface CircleCheck {
  readonly reference: Reference;
  /** Absent for new rows, which may refer to themselves. */
  readonly before?: Statement;
  readonly after: Statement;
}

export function circleChecks(plan: WritePlan, dialect: SqlDialect): readonly CircleCheck[] {
  if (plan.kind === 'delete') return [];
  return treeReferences(plan.into).flatMap((reference) => {
    const keys = writtenKeys(plan, reference);
    if (keys?.length === 0) return [];
    const starts = (bind: Bind) => {
      if (keys !== undefined) return dialect.valueTable(keys, plan.into.key[0]!.type, bind);
      return `(select ${identifier(reference.field.name)} as value from ${identifier(plan.into.name)})`;
    };
    const rowsAbove = (which?: string) => compileRowsAbove(plan.into, reference, dialect, starts, which);
    // Each way after the write consists of ways before it, from the references that it writes.
    const before = moves(plan, reference) ? { before: rowsAbove('above = key') } : {};
    return [{ reference, ...before, after: rowsAbove() }];
  });
}

/** The keys that the written rows refer to; undefined if they are unknown. */
function writtenKeys(plan: Exclude<WritePlan, { kind: 'delete' }>, reference: Reference): readonly Value[] | undefined {
  const { field } = reference;
  if (plan.kind === 'insert') return insertedKeys(plan, reference);
  if (!moves(plan, reference)) return [];
  const sets = plan.kind === 'update' ? [plan.set] : plan.changes.map(({ set }) => set);
  const set = sets.flatMap((each) => each.filter((assignment) => assignment.field === field));
  const changesKey = plan.given.includes(plan.into.key[0]!);
  return set.some(isOperation) || changesKey ? undefined : present(set.map((each) => (each as SetTo).value));
}

type SetTo = Extract<Assignment, { value: Value }>;

/** No stored row refers to a new one, so new rows only form a circle among themselves. */
function insertedKeys(plan: Extract<WritePlan, { kind: 'insert' }>, reference: Reference): readonly Value[] {
  const { into, rows } = plan;
  const [key] = into.key as [Field];
  const [at, keyAt] = [into.fields.indexOf(reference.field), into.fields.indexOf(key)];
  const referred = rows.map((row) => (row[at] === undefined ? reference.field.default : row[at]));
  const keys = new Set(rows.map((row) => String(row[keyAt] ?? '')));
  const isKnown = !moves(plan, reference) && rows.every((row) => (row[keyAt] ?? null) !== null);
  return present(isKnown ? referred.filter((value) => keys.has(String(value))) : referred);
}

function present(values: readonly (Value | undefined)[]): readonly Value[] {
  return [...new Set(values.filter((value) => value !== null && value !== undefined))];
}

/** `starts` is a table of keys to start from, with one column `value`. */
export function compileRowsAbove(
  { name, key: [key] }: Collection,
  { field }: Reference,
  dialect: SqlDialect,
  starts: (bind: Bind) => string,
  which = 'above is not null',
): Statement {
  // A subquery for each row uses the index of the key, also on PostgreSQL without statistics of new rows.
  const above = (row: string) =>
    `(select rows.${identifier(field.name)} from ${identifier(name)} as rows where rows.${identifier(key!.name)} = ${row})`;
  return buildStatement(dialect, (bind) => {
    const start = `select ${above('starts.value')} from ${starts(bind)} as starts`;
    const step = `select ${above('walk.key')} from walk where walk.key is not null`;
    const rows = `(select walk.key as key, ${above('walk.key')} as above from walk) as found`;
    const texts = `${dialect.text('key', key!.type)} as key, ${dialect.text('above', field.type)} as above`;
    return `with recursive walk (key) as (${start} union ${step}) select ${texts} from ${rows} where ${which}`;
  });
}

export interface RowAbove {
  readonly key: string;
  readonly above: string;
}

/** Throws if the rows form a circle. A row that referred to itself before, or a new one that does, is allowed. */
export function checkCircle(
  collection: Collection,
  reference: Reference,
  rows: readonly RowAbove[],
  before?: readonly RowAbove[],
  plan?: WritePlan,
): void {
  const isRoot = ({ key, above }: RowAbove) =>
    key === above && (before === undefined || before.some((row) => row.key === key));
  const parents = rows.filter((row) => !isRoot(row)).map(({ key, above }) => [key, above] as const);
  const circle = findCircle(new Map(parents));
  if (circle === undefined) return;
  const error = circleError(collection, reference, circle);
  const index = plan === undefined ? -1 : keysIn(plan).findIndex((key) => key !== undefined && circle.includes(key));
  throw index === -1 ? error : withRowIndex(error, index, true);
}

function keysIn(plan: WritePlan): readonly (string | undefined)[] {
  const [key] = plan.into.key as [Field];
  const print = (value: Value | undefined) =>
    value === undefined || value === null ? undefined : key.type.print(value);
  if (plan.kind === 'insert') {
    const at = plan.into.fields.indexOf(key);
    return plan.rows.length === 1 ? [] : plan.rows.map((row) => print(row[at]));
  }
  return plan.kind === 'update-each' && plan.by[0] === key ? plan.changes.map((change) => print(change.key[0])) : [];
}
