/** Compiles the assignments of an update, for both engines. */
import type { Collection } from '../../collection/declaration.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import { type Assignment, type Conflict, isOperation } from '../../plan/types.ts';
import { identifier, type SqlDialect } from './statement.ts';

/** The value that an assignment binds, with its type: a new value, or an operand. */
export function boundValue(assignment: Assignment): { readonly value: Value; readonly type: Type } {
  const { type } = assignment.field;
  if (!isOperation(assignment)) return { value: assignment.value, type };
  return { value: assignment.operand, type: builtIn(type.operations!.operandType) };
}

/** The new value of a field. `bound` is the expression of the bound value. */
export function assignedSql({ name }: Collection, assignment: Assignment, bound: string, dialect: SqlDialect): string {
  if (!isOperation(assignment)) return bound;
  return dialect.operate(`${identifier(name)}.${identifier(assignment.field.name)}`, assignment, bound);
}

/** Changes of the same shape can share a statement: they differ in bound values only. */
export function shapeOf(set: readonly Assignment[]): string {
  return set
    .map((each) => (isOperation(each) ? `${each.field.name} ${each.operation} ${each.round}` : each.field.name))
    .join();
}

/** `met` is the condition for updating the existing row. */
export function conflictSql(conflict: Conflict, met?: string): string {
  if (conflict === 'refuse') return '';
  const target = ` on conflict (${conflict.on.map(({ name }) => identifier(name)).join(', ')}) do`;
  if (conflict.overwrite.length === 0) return `${target} nothing`;
  const set = conflict.overwrite.map(({ name }) => `${identifier(name)} = excluded.${identifier(name)}`);
  return `${target} update set ${set.join(', ')}${met === undefined ? '' : ` where ${met}`}`;
}
