/** The state of an import: file, options, plan, progress and result. */
import { useRef, useState } from 'react';
import { useRefresh } from 'react-admin';
import { describeError } from '../shared/values/words.ts';
import { matchFields, suggestedMapping } from './columns.ts';
import { DryRun } from './dry-run.ts';
import { planImport } from './plan.ts';
import { type ImportOptions, type Plan, UNDECIDED } from './row-outcome.ts';
import { type Report, Sender } from './send.ts';
import { readSheet } from './sheet.ts';
import { StoredRows } from './stored-rows.ts';
import { type UndoResult, undoImport } from './undo.ts';

export interface Progress {
  readonly what: string;
  readonly done: number;
  readonly total: number;
}

/** The result so far, including rows that did not change. */
export interface ImportResult extends Report {
  readonly same: number;
  readonly left: number;
}

export interface Import {
  readonly options: ImportOptions | undefined;
  readonly plan: Plan | undefined;
  readonly progress: Progress | undefined;
  readonly problem: string | undefined;
  readonly done: ImportResult | undefined;
  readonly undone: UndoResult | undefined;
  readonly open: (file: File) => Promise<void>;
  readonly check: (options: ImportOptions) => Promise<void>;
  readonly store: () => Promise<void>;
  readonly undo: () => Promise<void>;
  readonly close: () => void;
}

export function useImport(): Import {
  const [options, setTerms] = useState<ImportOptions>();
  const [plan, setPlan] = useState<Plan>();
  const [progress, setProgress] = useState<Progress>();
  const [problem, setProblem] = useState<string>();
  const [done, setDone] = useState<ImportResult>();
  const [undone, setUndone] = useState<UndoResult>();
  const kept = useRef({ stored: new StoredRows(), dryRun: new DryRun(), sender: new Sender() });
  /** Number of the latest check; results of earlier checks are dropped. */
  const last = useRef(0);
  const refresh = useRefresh();

  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(describeError(error));
    }
    setProgress(undefined);
  };
  const forget = () => {
    kept.current = { ...kept.current, stored: new StoredRows(), dryRun: new DryRun() };
  };

  const check = (next: ImportOptions) =>
    attempt(async () => {
      const own = ++last.current;
      setTerms(next);
      const total = next.sheet.rows.length;
      const step = (count: number) => {
        if (own === last.current) setProgress({ what: 'Checking', done: count, total });
      };
      step(0);
      const planned = await planImport(next, kept.current.stored);
      const rowPlans = await kept.current.dryRun.of(planned.rowPlans, step);
      if (own === last.current) setPlan({ ...planned, rowPlans });
    });

  const open = (file: File) =>
    attempt(async () => {
      forget();
      setTerms(undefined);
      setPlan(undefined);
      setDone(undefined);
      setUndone(undefined);
      const sheet = await readSheet(file);
      const mapping = suggestedMapping(sheet);
      const [match] = matchFields(sheet, mapping);
      await check({ sheet, mapping, match, decision: UNDECIDED, emptying: false });
    });

  const store = () =>
    attempt(async () => {
      if (options === undefined || plan === undefined) return;
      const { rowPlans } = plan;
      const total = rowPlans.filter(({ kind }) => kind === 'new' || kind === 'change').length;
      const step = (count: number) => setProgress({ what: 'Importing', done: count, total });
      step(0);
      const report = await kept.current.sender.send(rowPlans, step);
      const ofKind = (kind: string) => rowPlans.filter((rowPlan) => rowPlan.kind === kind).length;
      setUndone(undefined);
      setDone({
        created: [...(done?.created ?? []), ...report.created],
        changed: [...(done?.changed ?? []), ...report.changed],
        failed: report.failed,
        same: (done?.same ?? 0) + ofKind('same'),
        left: (done?.left ?? 0) + ofKind('left'),
      });
      refresh();
      forget();
      // Rows that were not stored stay on the page, to be fixed or downloaded.
      const rows = options.sheet.rows.filter((_row, at) => rowPlans[at]!.kind === 'bad' || report.failed.has(at));
      setPlan(undefined);
      if (rows.length === 0) setTerms(undefined);
      else await check({ ...options, sheet: { ...options.sheet, rows } });
    });

  const undo = () =>
    attempt(async () => {
      if (done === undefined) return;
      const total = done.created.length + done.changed.length;
      const step = (count: number) => setProgress({ what: 'Undoing', done: count, total });
      step(0);
      setUndone(await undoImport(done, step));
      setDone(undefined);
      refresh();
      forget();
      if (options !== undefined) await check(options);
    });

  const close = () => {
    setDone(undefined);
    setUndone(undefined);
  };
  return { options, plan, progress, problem, done, undone, open, check, store, undo, close };
}
