/**
 * Reverts the selected changes in steps, each in one transaction. An undo that was interrupted is continued by sending
 * it again: changes that a later one reverted are left out. A row that another write changes meanwhile fails its
 * precondition; then its changes are read again.
 */
import { ApiError } from '../base/errors.ts';
import { MAX_UNDO_BYTES, UNDO_WAIT_MS } from '../base/limits/http.ts';
import { rowDenied } from '../collection/access/permission-errors.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { Preferences } from '../dialect/prefer.ts';
import type { Engine, Write } from '../engine/engine.ts';
import { notLogged } from '../engine/shared/change-log.ts';
import type { Files } from '../files/files.ts';
import { WHOLE_ROW_JSON } from '../plan/read/read.ts';
import type { LoggedChange } from '../plan/write/undo.ts';
import { redactError } from '../response/redact-errors.ts';
import { type RequestContext, trackWork } from '../response/request-context.ts';
import type { Conflict, UndoProgress } from '../response/undo.ts';
import { LogReader, type SelectedChange } from './undo-log.ts';
import {
  bytesOf,
  type Filter,
  type PlannedRevert,
  planUndo,
  rowOf,
  type Selection,
  selectChanges,
  splitSteps,
  type UndoStep,
} from './undo-selection.ts';

/** The number of times that a step is tried, because rows changed meanwhile. */
const ATTEMPTS = 10;
const WAIT_PAUSE_MS = 20;

interface UndoOptions {
  readonly engine: Engine;
  readonly files: Files | undefined;
  /** The catalogue as the caller sees it. */
  readonly seen: Catalogue;
  readonly context: RequestContext;
  readonly filter: Filter;
  readonly preferences: Preferences;
  /** Whether each step is sent as it happens. */
  readonly isStreamed: boolean;
}

type Step = Pick<UndoProgress, 'skipped' | 'undoneBefore' | 'changes' | 'position'>;

/** Those with an undo in steps, which takes much memory. */
const busyEngines = new WeakSet<Engine>();

/** Yields before the first step and after each. Nothing is changed before the first yield. */
export async function* undoInSteps(options: UndoOptions): AsyncGenerator<UndoProgress> {
  const undo = new Undo(options);
  try {
    const { steps, first, log } = await trackWork(options.context, undo.prepare());
    yield first;
    let { undone, total } = first;
    for (const [index, step] of steps.entries()) {
      // The first step uses what was just read.
      const reverting = undo.revert(step, index === 0 ? log : undefined).catch((error) => {
        throw undone === 0 ? error : afterSteps(error, undone);
      });
      const done = await trackWork(options.context, reverting);
      undone += done.changes.length;
      total -= step.length - done.changes.length;
      yield { undone, total, ...done };
    }
  } finally {
    undo.end();
  }
}

class Undo {
  private selection!: Selection;
  private isInSteps = false;
  private isLarge = false;
  private readonly skipped = new Set<string>();

  constructor(private readonly options: UndoOptions) {}

  /** Selects the changes and checks all of them. */
  async prepare() {
    const { context, filter } = this.options;
    const log = await this.openCompleteLog();
    const planned = (plan: Parameters<RequestContext['setPlan']>[0]) => context.setPlan(plan);
    this.selection = await selectChanges(log, filter, context.access?.permissions, planned, () => this.begin());
    const { changes, rows } = this.selection;
    const { conflicts, pending } = await log.examine(rows.values());
    this.skip(conflicts);
    const steps = await splitSteps(
      changes.filter((change) => pending.has(change)),
      filter,
    );
    this.isInSteps = steps.length > 1;
    this.checkRepresentation(changes);
    const total = pending.size;
    const undoneBefore = changes.filter((change) => !pending.has(change) && !this.skipped.has(rowOf(change))).length;
    const first: UndoProgress = { undone: 0, total, undoneBefore, skipped: conflicts, changes: [] };
    return { steps, first, log };
  }

  /** A second large undo at the same time is rejected before it reads its changes. */
  private begin(): void {
    const { engine } = this.options;
    if (this.isLarge) return;
    if (busyEngines.has(engine)) throw alreadyBusy();
    busyEngines.add(engine);
    this.isLarge = true;
  }

  end(): void {
    if (this.isLarge) busyEngines.delete(this.options.engine);
  }

  async revert(step: UndoStep, first?: LogReader): Promise<Step> {
    let log = first;
    const skipped: Conflict[] = [];
    let changes = step;
    for (let attempt = 1; ; attempt++) {
      if (log === undefined) {
        log = await this.openLog();
        const rows = new Set(step.map((change) => this.selection.rows.get(rowOf(change))!));
        const { conflicts, pending } = await log.examine(rows);
        skipped.push(...this.skip(conflicts));
        changes = step.filter((change) => pending.has(change));
      }
      try {
        const isKept = (change: SelectedChange) => !this.skipped.has(rowOf(change));
        const reverted = changes.filter(isKept);
        const undoneBefore = step.filter(isKept).length - reverted.length;
        return { ...(await this.write(log, reverted)), skipped, undoneBefore };
      } catch (error) {
        if (!(error instanceof UnexpectedRow)) throw error;
        if (attempt === ATTEMPTS) throw blocked(error.revert, this.options.context);
        log = undefined;
      }
    }
  }

  private async write(log: LogReader, step: readonly SelectedChange[]): Promise<Pick<Step, 'changes' | 'position'>> {
    const { engine, files, context, preferences } = this.options;
    const dryRun = preferences.tx === 'rollback';
    const changes: readonly LoggedChange[] = await log.entries(step);
    // A dry run must not take longer than one transaction may; later steps depend on earlier ones.
    if (dryRun && this.isInSteps) return { changes };
    const reverts = await planUndo(changes, log, context.access?.permissions);
    for (const { plan } of reverts) await files?.checkRestored(plan);
    const writes = reverts.map(({ plan }): Write => ({ plan, encoding: WHOLE_ROW_JSON }));
    if (writes.length === 0) return { changes };
    const results = await engine.write(writes, { dryRun, origin: context.origin }).catch((error) => {
      throw explained(error, reverts[(error as ApiError).request ?? 0]!);
    });
    return { changes, position: results.findLast(({ position }) => position !== undefined)?.position };
  }

  /** Leaves rows with later changes as they are, or rejects the undo. Returns the rows that are new. */
  private skip(conflicts: readonly Conflict[]): readonly Conflict[] {
    const added = conflicts.filter((conflict) => !this.skipped.has(rowOf(conflict)));
    if (added.length > 0 && this.options.preferences.conflicts !== 'skip') throw conflicting(added);
    for (const conflict of added) this.skipped.add(rowOf(conflict));
    return added;
  }

  private async openLog(): Promise<LogReader> {
    const { engine, seen, context } = this.options;
    if (engine.log === undefined) throw notLogged();
    const { seq: position } = await engine.log.position();
    return new LogReader(engine, seen, context.access?.permissions, context.origin, position);
  }

  /** Waits until the log has all selected changes: of a request, it might have a part. */
  private async openCompleteLog(): Promise<LogReader> {
    const until = performance.now() + UNDO_WAIT_MS;
    let log = await this.openLog();
    const newest = await log.newestHeldBack(this.options.filter.query);
    while (newest !== undefined && log.position < newest) {
      if (performance.now() > until) throw transactionOpen();
      await Bun.sleep(WAIT_PAUSE_MS);
      log = await this.openLog();
    }
    return log;
  }

  private checkRepresentation(changes: readonly SelectedChange[]): void {
    const { isStreamed, preferences } = this.options;
    if (isStreamed || preferences.return !== 'representation' || bytesOf(changes) <= MAX_UNDO_BYTES) return;
    throw new ApiError('54000', `an undo may return changes of ${MAX_UNDO_BYTES} bytes`, {
      nothingChanged: true,
      hint: 'Send Accept: application/x-ndjson to get them in parts, or leave out return=representation.',
    });
  }
}

/** A row is not as expected: another write changed it after the log was read, or it cannot be deleted. */
class UnexpectedRow extends Error {
  constructor(readonly revert: PlannedRevert) {
    super('a row is not as expected');
  }
}

function explained(error: unknown, revert: PlannedRevert): unknown {
  if (!(error instanceof ApiError)) return error;
  const { plan, collection } = revert;
  if (error.code === 'CAT412') return new UnexpectedRow(revert);
  // The row is as expected, so it is a rule of the role that leaves it out.
  if (error.code === 'CAT404') return rowDenied(collection.name);
  return redactError(error.with({ request: undefined, index: undefined }), plan, collection);
}

/** A rule of the role leaves out a row to delete, or other rows refer to it. */
function blocked({ plan, collection: { name } }: PlannedRevert, { access }: RequestContext): ApiError {
  if (plan.kind !== 'delete') return stillChanging();
  if (access?.permissions !== undefined) return rowDenied(name);
  return new ApiError('23503', `other rows refer to a row of ${name} that the undo would delete`, {
    nothingChanged: true,
    hint: 'Also undo the changes by which they came to refer to it.',
  });
}

/** Earlier steps are not undone by the failure of a later one. */
function afterSteps(error: unknown, undone: number): unknown {
  if (!(error instanceof ApiError)) return error;
  const progress = `${undone} changes are undone and stay so. Send the request again to continue.`;
  return error.with({
    nothingChanged: false,
    hint: error.hint === null ? progress : `${progress} ${error.hint}`,
  });
}

/** Names the rows; at most this many. */
const NAMED_ROWS = 1_000;

function conflicting(conflicts: readonly Conflict[]): ApiError {
  return new ApiError('55000', `later changes touched ${conflicts.length} of the rows`, {
    candidates: conflicts.slice(0, NAMED_ROWS).map(({ collection, key, seq }) => ({ collection, key, seq })),
    hint: 'Also undo the later changes, or send Prefer: conflicts=skip to leave these rows as they are.',
  });
}

function alreadyBusy(): ApiError {
  return new ApiError('CAT503', 'another undo of many changes is in progress', {
    nothingChanged: true,
    hint: 'Try again when it has ended.',
    headers: { 'retry-after': '5' },
  });
}

function transactionOpen(): ApiError {
  return new ApiError('CAT503', 'an open transaction of the database holds back changes that the undo selects', {
    nothingChanged: true,
    hint: 'Try again when it has ended.',
    headers: { 'retry-after': '5' },
  });
}

function stillChanging(): ApiError {
  return new ApiError('55000', 'other writes change the rows at the same time', {
    nothingChanged: true,
    hint: 'Read the changes of the rows, decide, and try again.',
  });
}
