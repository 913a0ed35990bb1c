/** Compiles the values of inserts and updates, for both engines. */
import type { Collection, Field } from '../../collection/declaration.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import { type Assignment, type Conflict, isOperation } from '../../plan/write-plan.ts';
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

/**
 * A value with `default: '{product_id.price}'`: the given one, or else that of the referenced row. `given` is the SQL
 * of a value of the new row, by field.
 */
export function orCopied({ references, among }: Collection, field: Field, given: (name: string) => string): string {
  const { name, copies } = field;
  if (copies === undefined) return given(name);
  const { to } = references.find((reference) => reference.field.name === copies.by)!;
  const column = (each: string) => `" copied".${identifier(each)}`;
  const isReferenced = `${column(among.get(to)!.key[0]!.name)} = ${given(copies.by)}`;
  return `coalesce(${given(name)}, (select ${column(copies.field)} from ${identifier(to)} as " copied" where ${isReferenced}))`;
}
