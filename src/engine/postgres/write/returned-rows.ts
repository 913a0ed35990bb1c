/** The rows that a write returns, in SQL. */
import type { Field } from '../../../collection/declaration.ts';
import { callsFunctions, namedFields, readsOwnCollection } from '../../../plan/access/named-fields.ts';
import { sortedByKey } from '../../../plan/read/order.ts';
import { isAlways, type ReadPlan } from '../../../plan/types.ts';
import type { WritePlan } from '../../../plan/write-plan.ts';
import { mayReturnTooMuch } from '../../shared/plan-keys.ts';
import type { Scope } from '../../sql/expression.ts';
import { compileBoundedSource, type Output, outputOf } from '../../sql/output.ts';
import { compilePredicate } from '../../sql/predicate.ts';
import { compileShape, scopeOf } from '../../sql/read.ts';
import { boundRow } from '../../sql/row-size.ts';
import { buildStatement, identifier, type Statement } from '../../sql/statement.ts';
import { TEXT } from '../dialect.ts';
import { RETURNED_ROWS, returnedWithin } from '../read/row-bytes.ts';
import { storedRecordset } from './input-rows.ts';
import type { Step, WriteContext } from './step.ts';

export interface ReturnedRows {
  readonly shape: NonNullable<WritePlan['returning']>;
  readonly output: Output;
  readonly isCounted: boolean;
}

export function returnedRows({ context: { dialect }, plan, encoding }: Step): ReturnedRows | undefined {
  if (plan.returning === undefined) return undefined;
  const areFound = plan.kind === 'update' || plan.kind === 'delete';
  const shape = areFound ? sortedByKey(plan.into, plan.returning) : plan.returning;
  const output = boundRow(shape, outputOf(shape.columns, encoding, dialect));
  return { shape, output, isCounted: mayReturnTooMuch(plan, shape.columns, output) };
}

/** The fields that the result needs: to return any other, the role would need the right to read it. */
export function neededFields({ into, showsKey }: WritePlan, returned: ReturnedRows | undefined): readonly Field[] {
  const key = showsKey ? into.key : [];
  if (returned === undefined) return key;
  const shown: ReadPlan = { ...returned.shape, kind: 'read', from: into, offset: 0 };
  // A function of a row takes the whole row.
  if (callsFunctions(shown)) return into.fields;
  const named = namedFields(shown).get(into);
  return into.fields.filter((field) => named?.has(field) || key.includes(field));
}

/** The returned rows over rows changed before, as a JSON list. */
export function compileShown(context: WriteContext, returned: ReturnedRows, rows: string): Statement {
  const { collection, dialect } = context;
  return buildStatement(dialect, (bind) => {
    const input = storedRecordset(context, bind(rows, TEXT), collection.fields);
    return `select (${listOf(returned, `select * from ${input}`, scopeOf(dialect, bind, collection.name))}) as rows`;
  });
}

export function listOf(returned: ReturnedRows, rows: string, scope: Scope): string {
  const shaped = shapeOver(returned, rows, scope);
  if (returned.isCounted) return returnedWithin(shaped);
  return `select coalesce(json_agg(row_to_json(${RETURNED_ROWS}.*)), '[]') from (${shaped}) as ${RETURNED_ROWS}`;
}

/** The visible rows among the changed ones, in their order. */
function shapeOver({ shape, output }: ReturnedRows, rows: string, scope: Scope): string {
  const within = compileBoundedSource(rows, { columns: shape.columns, output, scope });
  const source = `from (${within}) as ${identifier(scope.name)}`;
  const inner = { ...scope, stripNulls: output.stripNulls };
  if (isAlways(shape.where)) return compileShape(shape, source, output, inner);
  // A join with other tables could change the order.
  const numbered = `from (select *, row_number() over () as " row number" ${source}) as ${identifier(scope.name)}`;
  const shown = compileShape(shape, `${numbered} where ${compilePredicate(shape.where, scope)}`, output, inner);
  const isOrdered = shape.order.length > 0 || shape.groupBy !== undefined;
  return isOrdered ? shown : `${shown} order by ${identifier(scope.name)}." row number"`;
}

/**
 * Whether a second statement reads the returned rows: a statement sees the tables as they were before it, and embedded
 * rows may lead back to them. Deleted rows are returned as they were before.
 */
export function isShownAfter({ kind, into, returning }: WritePlan): boolean {
  return kind !== 'delete' && returning !== undefined && readsOwnCollection(into, returning);
}
