/** Numbers that were computed: they may have more digits than a double, or be none that JSON has a number for. */
import { oncePer } from '../once-per.ts';
import type { Expression, OutputColumn } from './types.ts';

/** Engines hand such a number over as its text, with all its digits. */
export function isLongNumber(expression: Expression): boolean {
  return isComputed(expression) && (expression.type === 'int8' || expression.type === 'decimal');
}

/** The columns whose values are such numbers, or doubles that may be NaN or infinite. */
export const computedNumbers = oncePer((columns: readonly OutputColumn[]): readonly string[] =>
  columns
    .filter(({ expression }) => isLongNumber(expression) || (isComputed(expression) && expression.type === 'float8'))
    .map(({ name }) => name),
);

/** A stored number is one that a double holds, and so is a count. */
function isComputed(expression: Expression): boolean {
  return expression.kind === 'cast' || (expression.kind === 'aggregate' && expression.function !== 'count');
}
