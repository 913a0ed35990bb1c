/** The changes that the filter of an undo selects, and which of them are still to be reverted. */
import { schedule } from '../base/cooperative.ts';
import { ApiError } from '../base/errors.ts';
import {
  MAX_UNDO_BYTES,
  MAX_UNDO_CHANGES,
  MAX_UNDO_ROW_CHANGES,
  MAX_UNDO_TRANSACTION,
  UNDO_STEP_BYTES,
  UNDO_STEP_CHANGES,
} from '../base/limits/http.ts';
import { shorten } from '../base/shorten.ts';
import { allReferences, type Collection, fieldsOf, stored } from '../collection/declaration.ts';
import type { Query } from '../dialect/tree.ts';
import type { Permissions } from '../plan/access/permissions.ts';
import type { ReadPlan } from '../plan/types.ts';
import { checkMayRevert, groupReverts, type LoggedChange, planRevert } from '../plan/write/undo.ts';
import { orderReverts } from '../plan/write/undo-order.ts';
import type { WritePlan } from '../plan/write-plan.ts';
import type { LogReader, SelectedChange, SelectedRow } from './undo-log.ts';

const CHANGES_PER_PAGE = 2_000;

export interface Filter {
  /** As the client wrote it, for messages. */
  readonly text: string;
  readonly query: Query;
}

export interface Selection {
  /** Newest first. */
  readonly changes: readonly SelectedChange[];
  readonly rows: ReadonlyMap<string, SelectedRow>;
}

/** The selected changes. Throws 42501 for a kind of change that the caller may not revert. */
export async function selectChanges(
  log: LogReader,
  { query, text }: Filter,
  permissions: Permissions | undefined,
  planned: (plan: ReadPlan) => void,
  /** Called when the changes may need several transactions. */
  onLarge: () => void,
): Promise<Selection> {
  const changes: SelectedChange[] = [];
  const rows = new Map<string, [SelectedChange, ...SelectedChange[]]>();
  const checked = new Set<string>();
  let before = log.position + 1;
  for (;;) {
    const plan = log.planPage(query, before, CHANGES_PER_PAGE);
    if (changes.length === 0) planned(plan);
    const page = await log.readPage(plan);
    if (page.length === 0) return { changes, rows };
    if (changes.length + page.length > MAX_UNDO_TRANSACTION) onLarge();
    for (const [change, bytes] of page) {
      const { collection, kind, seq } = change;
      if (permissions !== undefined && !checked.has(`${kind} ${collection.name}`)) {
        checkMayRevert(collection, kind, permissions);
        checked.add(`${kind} ${collection.name}`);
      }
      const selected = { ...change, before: references(change, 'before'), after: references(change, 'after'), bytes };
      const name = rowOf(change);
      const row = rows.get(name);
      if (changes.push(selected) > MAX_UNDO_CHANGES) throw tooLarge(`${MAX_UNDO_CHANGES} changes`, text, before);
      if (row === undefined) rows.set(name, [selected]);
      else if (row.push(selected) > MAX_UNDO_ROW_CHANGES) {
        throw tooLarge(`${MAX_UNDO_ROW_CHANGES} changes of one row`, text, row.at(-2)!.seq);
      }
      before = seq;
    }
  }
}

/** Names the row of a change or a conflict. */
export function rowOf({ collection, key }: { collection: string | { name: string }; key: string }): string {
  return `${typeof collection === 'string' ? collection : collection.name} ${key}`;
}

/** The values of reference fields. */
function references({ collection, ...change }: LoggedChange, side: 'before' | 'after'): LoggedChange['before'] {
  const cells = change[side];
  if (cells === null) return null;
  const names = allReferences(stored(collection)).flatMap((each) => fieldsOf(each).map(({ name }) => name));
  return Object.fromEntries(names.filter((name) => Object.hasOwn(cells, name)).map((name) => [name, cells[name]]));
}

/** Changes that one transaction reverts, in their order. */
export type UndoStep = readonly SelectedChange[];

/** One step if the changes fit into a transaction, otherwise short ones. `pending` come newest first. */
export async function splitSteps(pending: readonly SelectedChange[], filter: Filter): Promise<readonly UndoStep[]> {
  const ordered = await schedule(orderReverts(pending)).catch((error) => {
    // Rows that refer to each other in a chain of thousands are ordered by recursion.
    throw error instanceof RangeError
      ? tooLarge('chains of 5000 references', filter.text, pending[Math.min(4_999, pending.length - 1)]!.seq)
      : error;
  });
  const isShort = ordered.length <= MAX_UNDO_TRANSACTION && bytesOf(ordered) <= MAX_UNDO_BYTES;
  const [maxChanges, maxBytes] = isShort
    ? [MAX_UNDO_TRANSACTION, MAX_UNDO_BYTES]
    : [UNDO_STEP_CHANGES, UNDO_STEP_BYTES];
  const steps: SelectedChange[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const change of ordered) {
    if (bytes + change.bytes > maxBytes || steps.at(-1)!.length === maxChanges) {
      steps.push([]);
      bytes = 0;
    }
    steps.at(-1)!.push(change);
    bytes += change.bytes;
  }
  return steps;
}

export function bytesOf(changes: readonly SelectedChange[]): number {
  return changes.reduce((sum, { bytes }) => sum + bytes, 0);
}

function tooLarge(limit: string, filter: string, seq: number): ApiError {
  return new ApiError('54000', `an undo may revert ${limit}`, {
    nothingChanged: true,
    hint: `Revert the newest changes first: POST /changes/undo?${shorten(filter)}&seq=gte.${seq}`,
  });
}

export interface PlannedRevert {
  readonly plan: WritePlan;
  /** As the caller sees it. */
  readonly collection: Collection;
}

/** `changes` come in the order in which they are reverted. */
export async function planUndo(
  changes: readonly LoggedChange[],
  log: LogReader,
  permissions: Permissions | undefined,
): Promise<readonly PlannedRevert[]> {
  const newest = [...Map.groupBy(changes, ({ collection, key }) => `${collection.name} ${key}`).values()];
  const preconditions = await log.preconditions(newest.map(([change]) => change!));
  const planned: PlannedRevert[] = [];
  for (const revert of groupReverts(changes)) {
    const plan = planRevert(revert, permissions);
    if (plan === undefined) continue;
    const checked = revert.flatMap((change) => preconditions.get(change) ?? []);
    const [{ collection }] = revert;
    planned.push({ plan: checked.length === 0 ? plan : { ...plan, preconditions: checked }, collection });
  }
  return planned;
}
