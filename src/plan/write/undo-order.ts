/**
 * The order in which changes are reverted: newest first, and the changes of a row always in this order. A referenced
 * row is restored before the rows that refer to it, and removed after them. The log alone does not determine this: the
 * changes that one statement makes, such as a cascade, have any order in it.
 */
import { mapInSlices, ROWS_PER_SLICE, type Task } from '../../base/cooperative.ts';
import { allReferences, fieldsOf, stored } from '../../collection/declaration.ts';
import { coerce } from '../coerce.ts';
import type { LoggedChange } from './undo.ts';

/** `changes` come newest first. Of `before` and `after`, only the reference fields matter. */
export function* orderReverts<Change extends LoggedChange>(changes: readonly Change[]): Task<readonly Change[]> {
  const names = yield* mapInSlices(changes, ({ collection, values }) => rowName(collection.name, values));
  const references = yield* mapInSlices(changes, (change) =>
    referencesIn(change, change.after).map(({ field, to }) => ({ change, field, to })),
  );
  const order = new RevertOrder(
    Map.groupBy(changes, (_, index) => names[index]!),
    Map.groupBy(references.flat(), ({ to }) => to),
  );
  for (const [index, change] of changes.entries()) {
    if (index > 0 && index % ROWS_PER_SLICE === 0) yield;
    order.revert(change);
  }
  return [...order.ordered] as Change[];
}

class RevertOrder {
  readonly ordered = new Set<LoggedChange>();
  /** The changes of each row, and how many of them are in the order already. */
  private readonly rows: ReadonlyMap<string, { readonly changes: readonly LoggedChange[]; next: number }>;
  private readonly waiting = new Set<LoggedChange>();

  constructor(
    byRow: ReadonlyMap<string, readonly LoggedChange[]>,
    /** The changes after which a row refers to another row, by that other row. */
    private readonly referrers: ReadonlyMap<string, readonly Referrer[]>,
  ) {
    this.rows = new Map([...byRow].map(([name, changes]) => [name, { changes, next: 0 }]));
  }

  /** Reverts a change, after the newer ones of its row. In a cycle of references, the first one waits in vain. */
  revert(change: LoggedChange): void {
    if (this.waiting.has(change)) return;
    const name = rowName(change.collection.name, change.values);
    const row = this.rows.get(name)!;
    while (!this.ordered.has(change)) {
      const next = row.changes[row.next]!;
      if (this.waiting.has(next)) return;
      this.waiting.add(next);
      for (const needed of this.neededBefore(next, name)) this.revert(needed);
      this.ordered.add(next);
      row.next++;
    }
  }

  private neededBefore(change: LoggedChange, name: string): readonly LoggedChange[] {
    if (change.kind !== 'insert') {
      const restored = referencesIn(change, change.before).map(({ to }) => this.rows.get(to));
      return restored.flatMap((row) => row?.changes[row.next] ?? []).filter(({ kind }) => kind === 'delete');
    }
    const referring = (this.referrers.get(name) ?? []).filter((each) => this.isCurrent(each));
    return referring.map((each) => each.change).filter((each) => each !== change);
  }

  /** The newest pending change that concerns the field determines what the row refers to now. */
  private isCurrent({ change, field }: Referrer): boolean {
    const { changes, next } = this.rows.get(rowName(change.collection.name, change.values))!;
    const isConcerned = ({ before, after }: LoggedChange) => field in (after ?? before!);
    return changes.find((each, index) => index >= next && isConcerned(each)) === change;
  }
}

interface Referrer {
  readonly change: LoggedChange;
  readonly field: string;
}

/** The rows that some fields of a row refer to. */
function referencesIn({ collection }: LoggedChange, cells: LoggedChange['before']) {
  return allReferences(stored(collection)).flatMap((reference) => {
    const fields = fieldsOf(reference);
    const values = fields.map((field) => [field, cells?.[field.name] ?? null] as const);
    if (values.some(([, cell]) => cell === null)) return [];
    return [
      {
        field: fields[0]!.name,
        to: rowName(
          reference.to,
          values.map(([field, cell]) => coerce(field, cell)),
        ),
      },
    ];
  });
}

function rowName(collection: string, values: LoggedChange['values']): string {
  return JSON.stringify([collection, ...values.map(String)]);
}
