/** The options of an import, and the planned result for each row of the file. */
import type { Field } from '../../../collection/declaration.ts';
import { mayUpdate } from '../shared/api/rights.ts';
import type { ParsedCell } from './cells.ts';
import type { Mapping } from './columns.ts';
import type { Sheet } from './sheet.ts';

/** The decision about rows that already exist. */
export type Decision = 'leave' | 'change' | 'add';

/** The initial choice. A role that may not change rows leaves them. */
export const UNDECIDED: Decision | undefined = mayUpdate ? undefined : 'leave';

export interface ImportOptions {
  readonly sheet: Sheet;
  readonly mapping: Mapping;
  /** The field that identifies stored rows; undefined if every row is new. */
  readonly match: Field | undefined;
  /** Undefined until the person decides. */
  readonly decision: Decision | undefined;
  /** Whether an empty cell clears the field of an existing row. */
  readonly emptying: boolean;
}

export interface Fault {
  /** Absent if the service rejects the row as a whole. */
  readonly field?: string;
  readonly message: string;
}

export interface Change {
  readonly field: Field;
  readonly before: ParsedCell;
  readonly after: ParsedCell;
}

/** The planned result for one row. `exists` waits for the person's decision. */
export type RowPlan =
  | { readonly kind: 'bad'; readonly faults: readonly Fault[] }
  | { readonly kind: 'new'; readonly row: Readonly<Record<string, unknown>> }
  | { readonly kind: 'change' | 'exists'; readonly id: ParsedCell; readonly changes: readonly Change[] }
  | { readonly kind: 'same' | 'left' };

export interface Plan {
  readonly rowPlans: readonly RowPlan[];
  /** Number of file rows that match a stored row. */
  readonly existing: number;
  /** Number of matching rows that differ from the stored row. */
  readonly differing: number;
  /** Number of empty cells whose stored field has a value. */
  readonly emptied: number;
}

export type Values = ReadonlyMap<Field, ParsedCell>;
