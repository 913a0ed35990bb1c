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

export interface Progress {
  readonly step: 'checking' | 'storing' | 'undoing';
  readonly done: number;
  readonly total: number;
}

/** The result so far, including rows that did not change. */
export interface ImportResult extends Report {
  readonly same: number;
  readonly left: number;
}

export interface Undone {
  readonly undone: number;
  readonly kept: number;
}

export function useImport(collection: Collection) {
  const [options, setOptions] = useState<ImportOptions>();
  const [plan, setPlan] = useState<Plan>();
  const [progress, setProgress] = useState<Progress>();
  const [problem, setProblem] = useState<string>();
  const [result, setResult] = useState<ImportResult>();
  const [undone, setUndone] = useState<Undone>();
  const store = useRef(new Store(collection));
  const opened = useRef<File>(undefined);
  /** Number of the latest check; results of earlier checks are dropped. */
  const latest = useRef(0);
  /** A second click while a request runs does nothing. */
  const isStoring = useRef(false);

  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(explain(error, collection));
    }
    setProgress(undefined);
  };
  const changeOnce = (work: () => Promise<void>) => {
    if (isStoring.current) return Promise.resolve();
    isStoring.current = true;
    return attempt(work).finally(() => {
      isStoring.current = false;
    });
  };
  const reload = () => {
    forgetAnswers();
    void queryClient.invalidateQueries();
  };

  const check = (next: ImportOptions) =>
    attempt(async () => {
      latest.current += 1;
      const own = latest.current;
      setOptions(next);
      const onProgress = (done: number) => {
        if (own === latest.current) setProgress({ step: 'checking', done, total: next.sheet.rows.length });
      };
      onProgress(0);
      const names = new Map<Field, ReadonlyMap<string, Meaning>>();
      for (const [column, field] of next.mapping.entries()) {
        if (field === undefined || referenceOf(collection, field) === undefined) continue;
        const texts = [...new Set(next.sheet.rows.map(({ cells }) => cellText(cells[column]).trim()))];
        const find = () => findNames({ collection, field }, texts);
        names.set(field, await askOnce(['names', collection.name, field.name, texts], find));
      }
      const planned = await planImport(next, names);
      const rowPlans = await checkRows(collection, planned.rowPlans, onProgress);
      if (own === latest.current) setPlan({ ...planned, rowPlans });
    });

  /** Opens a file, or another sheet of the file before. */
  const open = (file: File | undefined, sheetName?: string) =>
    attempt(async () => {
      opened.current = file ?? opened.current;
      forgetAnswers();
      store.current = new Store(collection);
      setOptions(undefined);
      setPlan(undefined);
      setResult(undefined);
      setUndone(undefined);
      const sheet = await readSheet(opened.current!, sheetName);
      const mapping = suggestMapping(collection, sheet.columns);
      const [match] = matchesOf(collection, sheet, mapping);
      await check({
        collection,
        sheet,
        mapping,
        formats: {},
        match,
        decision: firstDecision(collection),
        clearsEmpty: false,
        createsReferences: false,
      });
    });

  const send = () =>
    changeOnce(async () => {
      if (options === undefined || plan === undefined) return;
      const { rowPlans } = plan;
      rememberMapping(options);
      const count = (kind: string) => rowPlans.filter((each) => each.kind === kind).length;
      const total = count('new') + count('change');
      const onProgress = (done: number) => setProgress({ step: 'storing', done, total });
      onProgress(0);
      const report = await store.current.send(rowPlans, onProgress);
      setUndone(undefined);
      setResult({
        created: (result?.created ?? 0) + report.created,
        changed: (result?.changed ?? 0) + report.changed,
        references: (result?.references ?? 0) + report.references,
        failed: report.failed,
        same: (result?.same ?? 0) + count('same'),
        left: (result?.left ?? 0) + count('left'),
      });
      reload();
      // Rows that were not stored stay on the page, to be fixed or downloaded.
      const rows = options.sheet.rows.filter((_row, at) => rowPlans[at]!.kind === 'bad' || report.failed.has(at));
      setPlan(undefined);
      if (rows.length === 0) setOptions(undefined);
      else await check({ ...options, sheet: { ...options.sheet, rows } });
    });

  const undo = () =>
    changeOnce(async () => {
      if (result === undefined) return;
      const total = result.created + result.changed + result.references;
      const onProgress = (done: number) => setProgress({ step: 'undoing', done, total });
      onProgress(0);
      setUndone(await store.current.undo(onProgress));
      setResult(undefined);
      reload();
      if (options !== undefined) await check(options);
    });

  const retry = options === undefined ? undefined : () => void check(options);
  return { options, plan, progress, problem, result, undone, open, check, send, undo, retry };
}

export type Import = ReturnType<typeof useImport>;
