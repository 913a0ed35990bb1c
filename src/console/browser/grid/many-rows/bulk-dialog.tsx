/** Changes a field of many rows: a value or a calculation, with a preview from the service. */
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { exactDecimal, exactUnits, printDecimal, rounded } from '../../../../collection/types/number/decimal-text.ts';
import { applyChange, ChangedMeanwhile, type Preview, previewChange, type Target } from '../../api/bulk-change.ts';
import { type Field, labelOf, mayWrite, titleOf } from '../../api/catalogue.ts';
import { problemOf } from '../../api/errors.ts';
import { explain } from '../../api/explain.ts';
import { useWrite } from '../../api/queries.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Select, TextField } from '../../components/inputs.tsx';
import { ErrorMessage, Labelled, Problem, Skeleton } from '../../components/small.tsx';
import { notify, undoOf } from '../../components/toasts.tsx';
import type { FieldPlace, Parsed } from '../../fields/kind.ts';
import { formatValue, kindOf, parseText } from '../../fields/registry.ts';
import { readTyped } from '../../i18n/numbers.ts';
import { t } from '../../i18n/text.ts';

type Way = keyof typeof t.grid.ways;

/** The changes that a field allows. */
function waysOf(field: Field, kind: string): readonly Way[] {
  return [
    'set',
    ...(kind === 'number' ? (['percent', 'add', 'multiply'] as const) : []),
    ...(field.required ? [] : (['clear'] as const)),
  ];
}

export default function BulkDialog({ target }: { readonly target: Target }) {
  const { collection } = target.query;
  const fields = collection.fields.filter((field) => mayWrite(collection, field, false));
  const [field, setField] = useState(fields[0]!);
  const [chosenWay, setWay] = useState<Way>('set');
  const [text, setText] = useState('');
  const [decimals, setDecimals] = useState('');
  const place = { collection, field };
  const { Input, name: kind } = kindOf(place);
  const ways = waysOf(field, kind);
  const way = ways.includes(chosenWay) ? chosenWay : 'set';
  const parsed = parseChange(place, way, text, decimals);
  const problem = text !== '' && 'problem' in parsed ? parsed.problem : undefined;
  const value = 'value' in parsed ? JSON.stringify(parsed.value) : undefined;
  // The preview of an earlier input is not shown for a later one.
  const wanted = useDeferredValue(value);
  const isReady = wanted === value && value !== undefined && (text !== '' || way === 'clear');
  const preview = useQuery({
    queryKey: ['preview', collection.name, field.name, wanted, target.count],
    queryFn: () => previewChange(target, field, JSON.parse(wanted!)),
    enabled: isReady,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const write = useWrite(collection, (change: unknown) => applyChange(preview.data!, field, change));
  const onSubmit = async () => {
    if (preview.data === undefined || value === undefined) return false;
    const outcome = await write.run(JSON.parse(value)).catch((error) => {
      if (error instanceof ChangedMeanwhile) void preview.refetch();
      throw error;
    });
    if (outcome === undefined) return false;
    const { count, skipped, requestId } = outcome;
    const names = skipped.map((row) => titleOf(collection, row)).join(', ');
    const message = [t.grid.rowsChanged(count), ...(names === '' ? [] : [t.grid.skipped(names)])];
    notify(message.join(' '), count === 0 ? {} : undoOf('update', collection, requestId));
    return true;
  };
  const choose = (name: string) => {
    setField(fields.find((each) => each.name === name)!);
    setText('');
  };
  const canApply = isReady && preview.data !== undefined && preview.data.changing > 0 && !preview.isFetching;
  return (
    <Dialog title={t.grid.changeField} submit={{ label: t.grid.changeAll, isBusy: !canApply, onSubmit }}>
      <Select
        label={t.app.field}
        value={field.name}
        options={fields.map((each) => [each.name, labelOf(each)] as const)}
        onChange={choose}
      />
      <Select
        label={t.grid.how}
        value={way}
        options={ways.map((each) => [each, t.grid.ways[each]] as const)}
        onChange={setWay}
      />
      {/* One line, whatever the inputs: a choice moves none of them. */}
      <div className="bulk-value line">
        {way === 'set' || way === 'clear' ? (
          <Labelled id="bulk-value" label={t.grid.inputs.set} problem={problem}>
            <Input
              key={field.name}
              {...place}
              id="bulk-value"
              text={text}
              isDisabled={way === 'clear'}
              onChange={setText}
            />
          </Labelled>
        ) : (
          <>
            <TextField
              label={t.grid.inputs[way]}
              problem={problem}
              inputMode="decimal"
              value={text}
              onChange={setText}
            />
            <TextField
              label={t.grid.decimals}
              type="number"
              min={-6}
              max={12}
              value={decimals}
              onChange={setDecimals}
            />
          </>
        )}
      </div>
      <div className="bulk-preview">
        {preview.isFetching && <Skeleton lines={2} />}
        {isReady && preview.error !== null && <PreviewProblem field={field} error={preview.error} />}
        {/* Screen readers say a change of it, so it is there before the preview. */}
        <p role="status">{isReady && preview.data !== undefined && summaryOf(preview.data)}</p>
        {isReady && preview.data !== undefined && (
          <table aria-label={t.grid.firstChanges}>
            <tbody>
              {preview.data.examples.map(({ before, after }) => (
                <tr key={JSON.stringify(collection.key.map(({ name }) => before[name]))}>
                  <td>{titleOf(collection, before)}</td>
                  <td>
                    {formatValue(place, before[field.name])} → {formatValue(place, after[field.name])}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Dialog>
  );
}

const summaryOf = ({ changing, empty }: Preview): string =>
  [
    changing === 0 ? t.grid.noChange : t.grid.willChange(changing),
    ...(empty > 0 ? [t.grid.withoutNumber(empty)] : []),
  ].join(' ');

function PreviewProblem({ error, field }: { readonly field: Field; readonly error: unknown }) {
  if (problemOf(error) === undefined) return <ErrorMessage error={error} />;
  return <Problem>{t.grid.nothingChanged(`${labelOf(field)}: ${explain(error)}`)}</Problem>;
}

function parseChange(place: FieldPlace, way: Way, text: string, decimals: string): Parsed {
  if (way === 'clear') return { value: null };
  return way === 'set' ? parseText(place, text) : operationOf(way, text, decimals);
}

/** The operation of the service: +5 % is a multiplication by 1.05. */
export function operationOf(way: Exclude<Way, 'set' | 'clear'>, text: string, decimals: string): Parsed {
  const number = readTyped(text);
  if (number === undefined) return { problem: t.errors.notANumber(text) };
  const round = /^-?\d+$/.test(decimals) ? { round: Number(decimals) } : {};
  const operation =
    way === 'add' ? { increment: number } : { multiply: way === 'percent' ? percentFactor(number) : number };
  return { value: { ...operation, ...round } as never };
}

/** The factor of a percentage, with all digits: 7.5 is 1.075. */
export function percentFactor(percent: string): string {
  const part = exactDecimal(percent)!;
  const scale = part.scale + 2;
  return printDecimal(exactUnits(10n ** BigInt(scale) + rounded(part, part.scale), scale));
}
