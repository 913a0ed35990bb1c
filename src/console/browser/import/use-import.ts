/** The state of an import: file, options, plan, progress and result. */
import { useRef, useState } from 'react';
import { type Collection, type Field, referenceOf } from '../api/catalogue.ts';
import { explain } from '../api/explain.ts';
import { queryClient } from '../api/query-client.ts';
import { findNames, type Meaning } from '../fields/names.ts';
import { askOnce, forgetAnswers } from './ask-once.ts';
import { checkRows } from './check.ts';
import { firstDecision, type ImportOptions, matchesOf, rememberMapping, suggestMapping } from './columns.ts';
import { type Plan, planImport } from './plan.ts';
import { readSheet } from './read-file.ts';
import { cellText } from './sheet.ts';
import { type Report, Store } from './store.ts';

interface Progress {
  readonly step: 'checking' | 'storing' | 'undoing';
  readonly done: number;
  readonly total: number;
}

/** The result so far, including rows that did not change. */
export interface ImportResult extends Report {
  readonly same: number;
  readonly left: number;
}

interface State {
  readonly options?: ImportOptions | undefined;
  /** That of the options, or of those before while they are checked. */
  readonly plan?: (Plan & { readonly options: ImportOptions }) | undefined;
  readonly progress?: Progress | undefined;
  readonly problem?: string | undefined;
  readonly result?: ImportResult | undefined;
  readonly undone?: { readonly undone: number; readonly kept: number } | undefined;
}

type Update = (changes: State) => void;

export function useImport(collection: Collection) {
  const [state, setState] = useState<State>({});
  const { options, plan, result } = state;
  const store = useRef(new Store(collection));
  const opened = useRef<File>(undefined);
  /** The number of the latest step. Results of an earlier one are dropped. */
  const latest = useRef(0);
  /** While rows are stored, other steps do nothing. */
  const isStoring = useRef(false);

  const run = async (work: (update: Update) => Promise<void>, stores = false) => {
    if (isStoring.current) return;
    isStoring.current = stores;
    latest.current += 1;
    const own = latest.current;
    const update: Update = (changes) => own === latest.current && setState((before) => ({ ...before, ...changes }));
    update({ problem: undefined });
    await work(update).catch((error) => update({ problem: explain(error, collection) }));
    update({ progress: undefined });
    if (stores) isStoring.current = false;
  };
  const progressOf = (update: Update, step: Progress['step'], total: number) => {
    const onProgress = (done: number) => update({ progress: { step, done, total } });
    onProgress(0);
    return onProgress;
  };
  const reload = () => {
    forgetAnswers();
    void queryClient.invalidateQueries();
  };

  const checkOptions = async (next: ImportOptions, update: Update) => {
    const { mapping, sheet } = next;
    update({ options: next });
    const onProgress = progressOf(update, 'checking', sheet.rows.length);
    const names = new Map<Field, ReadonlyMap<string, Meaning>>();
    for (const [column, field] of mapping.entries()) {
      if (field === undefined || referenceOf(collection, field) === undefined) continue;
      const texts = [...new Set(sheet.rows.map(({ cells }) => cellText(cells[column]).trim()))];
      const find = () => findNames({ collection, field }, texts);
      names.set(field, await askOnce(['names', collection.name, field.name, texts], find));
    }
    const planned = await planImport(next, names);
    const rowPlans = await checkRows(collection, planned.rowPlans, onProgress);
    update({ plan: { ...planned, rowPlans, options: next } });
  };
  const check = (next: ImportOptions) => run((update) => checkOptions(next, update));

  /** Opens a file, or another sheet of the file before. */
  const open = (file: File | undefined, sheetName?: string) =>
    run(async (update) => {
      opened.current = file ?? opened.current;
      forgetAnswers();
      store.current = new Store(collection);
      update({ options: undefined, plan: undefined, result: undefined, undone: undefined });
      const sheet = await readSheet(opened.current!, sheetName);
      const mapping = suggestMapping(collection, sheet.columns);
      const [match] = matchesOf(collection, sheet, mapping);
      const decision = firstDecision(collection);
      const choices = { formats: {}, decision, clearsEmpty: false, createsReferences: false };
      await checkOptions({ collection, sheet, mapping, match, ...choices }, update);
    });

  const send = () =>
    run(async (update) => {
      if (options === undefined || plan?.options !== options) return;
      const { rowPlans } = plan;
      rememberMapping(options);
      const count = (kind: string) => rowPlans.filter((each) => each.kind === kind).length;
      const onProgress = progressOf(update, 'storing', count('new') + count('change'));
      const report = await store.current.send(rowPlans, onProgress);
      const now = { ...report, same: count('same'), left: count('left') };
      const sum = (part: Exclude<keyof ImportResult, 'failed'>) => (result?.[part] ?? 0) + now[part];
      update({
        undone: undefined,
        result: {
          created: sum('created'),
          changed: sum('changed'),
          references: sum('references'),
          failed: report.failed,
          same: sum('same'),
          left: sum('left'),
        },
      });
      reload();
      // Rows that were not stored stay on the page, to be fixed or downloaded.
      const rows = options.sheet.rows.filter((_row, at) => rowPlans[at]!.kind === 'bad' || report.failed.has(at));
      update({ plan: undefined, ...(rows.length === 0 && { options: undefined }) });
      if (rows.length > 0) await checkOptions({ ...options, sheet: { ...options.sheet, rows } }, update);
    }, true);

  const undo = () =>
    run(async (update) => {
      if (result === undefined) return;
      const onProgress = progressOf(update, 'undoing', result.created + result.changed + result.references);
      update({ undone: await store.current.undo(onProgress), result: undefined });
      reload();
      if (options !== undefined) await checkOptions(options, update);
    }, true);

  const retry = options === undefined ? undefined : () => void check(options);
  return { ...state, open, check, send, undo, retry };
}

export type Import = ReturnType<typeof useImport>;
