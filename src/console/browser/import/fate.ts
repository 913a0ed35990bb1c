/** How a file is to be imported, and what becomes of each of its rows. */
import type { Field } from '../../../collection/declaration.ts';
import { mayUpdate } from '../shared/rights.ts';
import type { Entered } from './cells.ts';
import type { Mapping } from './columns.ts';
import type { Sheet } from './sheet.ts';

/** What is to become of rows that exist already. */
export type Decision = 'leave' | 'change' | 'add';

/** As long as nobody has said so; whoever may not change them leaves them. */
export const UNDECIDED: Decision | undefined = mayUpdate ? undefined : 'leave';

export interface Terms {
  readonly sheet: Sheet;
  readonly mapping: Mapping;
  /** The field by which rows are told from those that are stored; undefined where all of them are new. */
  readonly match: Field | undefined;
  /** Undefined as long as nobody has said so. */
  readonly decision: Decision | undefined;
  /** Whether an empty cell empties the field of a row that exists. */
  readonly emptying: boolean;
}

export interface Fault {
  /** Absent where the row as a whole is refused. */
  readonly field?: string;
  readonly message: string;
}

export interface Change {
  readonly field: Field;
  readonly before: Entered;
  readonly after: Entered;
}

/** `exists` is what nobody has decided about yet. */
export type Fate =
  | { readonly kind: 'bad'; readonly faults: readonly Fault[] }
  | { readonly kind: 'new'; readonly row: Readonly<Record<string, unknown>> }
  | { readonly kind: 'change' | 'exists'; readonly id: Entered; readonly changes: readonly Change[] }
  | { readonly kind: 'same' | 'left' };

export interface Plan {
  readonly fates: readonly Fate[];
  /** Rows of the file that are stored already, by the field that told so. */
  readonly existing: number;
  /** Of those, the ones that differ from what is stored. */
  readonly differing: number;
  /** Empty cells where something is stored. */
  readonly emptied: number;
}

export type Values = ReadonlyMap<Field, Entered>;
