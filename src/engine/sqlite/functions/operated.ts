/** Operations of an update as an SQL function. One text describes it: each argument costs time per row. */
import type { Database } from 'bun:sqlite';
import { memoizeText } from '../../../base/memo.ts';
import type { Field } from '../../../collection/declaration.ts';
import { builtIn } from '../../../collection/types/index.ts';
import type { Operation } from '../../../collection/types/operations.ts';
import { checkLength, withLocation } from '../../../plan/coerce.ts';
import type { SetResult } from '../../../plan/types.ts';
import { quoteText } from '../../sql/statement.ts';
import { storedForm, valueIn } from './stored-values.ts';

interface Described extends Pick<Field, 'name' | 'maxBytes'>, Pick<Operation, 'operation' | 'round'> {
  readonly type: string;
}

export function operatedSql(column: string, { field, operation, round }: SetResult, operand: string): string {
  const { name, maxBytes, type } = field;
  const described: Described = {
    name,
    maxBytes,
    type: type.name,
    operation,
    ...(round === undefined ? {} : { round }),
  };
  return `operated(${quoteText(JSON.stringify(described))}, ${column}, ${operand})`;
}

const readDescription = memoizeText((text) => {
  const { type: name, ...described } = JSON.parse(text) as Described;
  const type = builtIn(name);
  return { ...described, type, operations: type.operations!, operandType: builtIn(type.operations!.operandType) };
});

export function defineOperated(db: Database): void {
  db.function('operated', { deterministic: true, safeIntegers: true }, (text, stored, operand) => {
    const { type, operations, operandType, ...described } = readDescription(text);
    const current = stored ?? (described.operation === 'append' ? operations.startsFrom : null) ?? null;
    if (current === null) return null;
    try {
      const operation = { ...described, operand: valueIn(operandType, operand) };
      const result = operations.apply(valueIn(type, current), operation);
      if (typeof result === 'string') checkLength(described, result);
      return storedForm(type, result);
    } catch (error) {
      throw withLocation(error, undefined, described);
    }
  });
}
