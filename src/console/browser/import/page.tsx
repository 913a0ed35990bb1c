/** The import page: choose a file, let the service check it, preview it, then store it. */
import { useEffect, useRef } from 'react';
import { printCsvRow } from '../../../declare/rows/csv.ts';
import { useAddress } from '../api/address.ts';
import { type Collection, mayUndo, titleOfCollection } from '../api/catalogue.ts';
import { lastList } from '../api/query/list.ts';
import { pathOf } from '../api/query/text.ts';
import { Button, IconButton } from '../components/button.tsx';
import { useDrop } from '../components/drag.ts';
import { Icon } from '../components/icon.tsx';
import { Select } from '../components/inputs.tsx';
import { announce, NotFound, PageTitle } from '../components/small.tsx';
import { BYTE_ORDER_MARK, downloadBlob } from '../export/save-file.ts';
import { t } from '../i18n/text.ts';
import type { ImportOptions } from './columns.ts';
import type { Plan } from './plan.ts';
import { Preview } from './preview.tsx';
import { Questions } from './questions.tsx';
import type { Sheet } from './sheet.ts';
import { type Import, type ImportResult, useImport } from './use-import.ts';

export default function ImportPage() {
  const { collection } = useAddress();
  if (collection === undefined) return <NotFound />;
  return <ImportFile key={collection.name} collection={collection} />;
}

function ImportFile({ collection }: { readonly collection: Collection }) {
  const current = useImport(collection);
  const { options, plan, progress, problem, result, undone, retry } = current;
  return (
    <div className="page import-page">
      <header className="line wrap">
        <IconButton icon="arrow-left" href={lastList(collection)} label={t.record.back} />
        <PageTitle title={t.importing.title(titleOfCollection(collection))} />
      </header>
      <DropZone onOpen={(file) => void current.open(file)} />
      {problem !== undefined && (
        <div className="notice danger line wrap" role="alert">
          <span>{problem}</span>
          {retry !== undefined && <Button onClick={retry}>{t.app.retry}</Button>}
        </div>
      )}
      {plan === undefined && <Steps progress={progress} />}
      {result !== undefined && <Outcome result={result} current={current} collection={collection} />}
      {undone !== undefined && (
        <p className={`notice line wrap ${undone.kept > 0 ? 'warn' : 'good'}`} role="status">
          {t.importing.undone(undone.undone)} {undone.kept > 0 && t.importing.kept(undone.kept)}
        </p>
      )}
      {options !== undefined && plan !== undefined && <Proposal current={current} options={options} plan={plan} />}
    </div>
  );
}

function Steps({ progress }: Pick<Import, 'progress'>) {
  if (progress === undefined) return null;
  const { step, done, total } = progress;
  return (
    <div>
      <p role="status">{t.importing.progress[step](done, total)}</p>
      <progress value={done} max={Math.max(total, 1)} aria-label={t.importing.steps[step]} />
    </div>
  );
}

/** The area where a person drops or chooses a file. */
function DropZone({ onOpen }: { readonly onOpen: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const open = ([file]: readonly File[]) => file !== undefined && onOpen(file);
  const drop = useDrop(open);
  return (
    <section className={`drop-zone line wrap ${drop.className}`} aria-label={t.files.file} {...drop.handlers}>
      <Icon name="file-up" size={28} />
      <p>{t.importing.dropHere}</p>
      <Button onClick={() => input.current?.click()}>{t.importing.chooseFile}</Button>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl"
        hidden
        onChange={({ target }) => {
          open([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </section>
  );
}

interface ProposalProps {
  readonly current: Import;
  readonly options: ImportOptions;
  readonly plan: NonNullable<Import['plan']>;
}

function Proposal({ current, options, plan }: ProposalProps) {
  const count = (kind: string) => plan.rowPlans.filter((each) => each.kind === kind).length;
  const [bad, undecided] = [count('bad'), count('exists')];
  const good = count('new') + count('change');
  const onChange = (next: ImportOptions) => void current.check(next);
  const { columns, sheets = [] } = options.sheet;
  const leftOut = columns.filter((_name, at) => options.mapping[at] === undefined);
  const isBusy = current.progress !== undefined || plan.options !== options;
  const outcome = bad === 0 ? t.importing.allValid : t.importing.withErrors(bad);
  const found = t.importing.summary(options.sheet.name, plan.rowPlans.length, outcome);
  const summary = current.result === undefined ? `${found} ${t.importing.notYet}` : found;
  useEffect(() => announce(summary), [summary]);
  const isUndecided = plan.existing > 0 && options.decision === undefined;
  return (
    <section className="proposal" aria-busy={isBusy}>
      {/* Beside the table, which stays in its place whatever a choice adds or removes. */}
      <div className="stack">
        <p className={`notice line wrap ${bad === 0 ? 'good' : 'warn'}`}>{summary}</p>
        {sheets.length > 1 && (
          <Select
            label={t.importing.sheet}
            value={options.sheet.sheetName!}
            options={sheets}
            onChange={(name) => void current.open(undefined, name)}
          />
        )}
        {leftOut.length > 0 && (
          <p className="notice line wrap">
            {leftOut.length === columns.length ? t.importing.noField : t.importing.leftOut(leftOut.join(', '))}
          </p>
        )}
        <Questions options={options} plan={plan} onChange={onChange} />
        <div className="line wrap">
          <Button kind="primary" disabled={good === 0 || isUndecided || isBusy} onClick={() => void current.send()}>
            {good + undecided === 0
              ? t.importing.nothing
              : t.importing[bad > 0 ? 'sendValid' : 'send'](good + undecided)}
          </Button>
          {bad > 0 && (
            <Button onClick={() => downloadInvalid(options.sheet, plan)}>{t.importing.downloadInvalid(bad)}</Button>
          )}
          {isUndecided && <span>{t.importing.decideFirst}</span>}
        </div>
        <Steps progress={current.progress} />
      </div>
      <div className="stack">
        <Preview options={options} plan={plan} onChange={onChange} />
      </div>
    </section>
  );
}

/** Downloads the rows that were not stored, each with its reason, as a file to fix and import again. */
function downloadInvalid({ name, columns, rows, separator }: Sheet, { rowPlans }: Plan): void {
  const lines = rows.flatMap((row, at) => {
    const plan = rowPlans[at]!;
    if (plan.kind !== 'bad') return [];
    if (row.broken !== undefined) return [row.broken.text];
    const reason = plan.faults.map(({ message }) => message).join(' ');
    return [printCsvRow([...columns.map((_column, index) => row.cells[index]), reason], separator)];
  });
  const text = [printCsvRow([...columns, t.importing.problem], separator), ...lines].join('\r\n');
  const type = 'text/csv;charset=utf-8';
  downloadBlob(new Blob([BYTE_ORDER_MARK, text, '\r\n'], { type }), `${name.replace(/\.[^.]+$/, '')}-rest.csv`);
}

const STORED = ['created', 'changed', 'references', 'left', 'same'] as const;

interface OutcomeProps {
  readonly result: ImportResult;
  readonly current: Import;
  readonly collection: Collection;
}

function Outcome({ result, current, collection }: OutcomeProps) {
  const { created, changed, references, failed } = result;
  const parts = STORED.filter((part) => result[part] > 0).map((part) => t.importing.stored[part](result[part]));
  const mayUndoAll =
    (created === 0 || mayUndo('create', collection)) && (changed === 0 || mayUndo('update', collection));
  const reasons = Map.groupBy(failed.values(), (reason) => reason);
  const element = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => element.current!.focus(), []);
  return (
    <>
      <div ref={element} tabIndex={-1} className="notice good line wrap" role="status">
        <span>{parts.join(', ') || t.importing.nothingStored}.</span>
        {created + changed + references > 0 && mayUndoAll && (
          <Button disabled={current.progress !== undefined} onClick={() => void current.undo()}>
            {t.app.undo}
          </Button>
        )}
        <Button href={`/c${pathOf(collection)}`}>{t.importing.show(titleOfCollection(collection))}</Button>
      </div>
      {[...reasons].map(([reason, { length }]) => (
        <p key={reason} className="notice danger line wrap" role="alert">
          {t.importing.notStored(length, reason)}
        </p>
      ))}
    </>
  );
}
