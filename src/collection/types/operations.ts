/** Operations on a stored value: arithmetic for numbers, append and remove for arrays. Null stays null. */
import type { Value } from '../value.ts';

export const NUMBER_OPERATIONS = ['increment', 'decrement', 'multiply', 'divide'] as const;
export const LIST_OPERATIONS = ['append', 'remove'] as const;
export type OperationName = (typeof NUMBER_OPERATIONS | typeof LIST_OPERATIONS)[number];

/** The ways in which a rule may let a role change a field: by a value, or by an operation. */
export const CHANGE_WAYS = ['set', ...NUMBER_OPERATIONS, ...LIST_OPERATIONS] as const;
export type ChangeWay = (typeof CHANGE_WAYS)[number];

export interface Operation {
  readonly operation: OperationName;
  /** Has the operand type of the field's type. */
  readonly operand: Value;
  /** The number of decimals that the result is rounded to before it is stored. */
  readonly round?: number;
}

/** The operations of a type. SQLite calls `apply`; PostgreSQL computes the same natively. */
export interface Operations {
  readonly names: readonly OperationName[];
  /** The name of the operand's type. */
  readonly operandType: string;
  /** A description of the operand, for messages. */
  readonly operandWords: string;
  /** Parses an operand; undefined if it is not one. */
  readonly read: (json: unknown) => Value | undefined;
  /** The value that an append takes null for; null otherwise stays null. */
  readonly startsFrom?: Value;
  /** The result, rounded and within the bounds of the type. */
  readonly apply: (value: Value, operation: Operation) => Value;
  readonly postgres: (column: string, operation: Omit<Operation, 'operand'>, operand: string) => string;
}
