/** The preview of an import: the field and format of each column, and the result of each row. */
import { useState } from 'react';
import { labelOf } from '../api/catalogue.ts';
import { Button, Steps } from '../components/button.tsx';
import { Options } from '../components/inputs.tsx';
import { Table } from '../components/table.tsx';
import { NotationSelect } from '../fields/notation-select.tsx';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { type ImportOptions, importableFields, withField, withMapping } from './columns.ts';
import type { Plan, RowPlan } from './plan.ts';
import { PreviewRow } from './preview-row.tsx';
import { withCell } from './sheet.ts';

const ROWS_PER_PAGE = 20;

interface PreviewProps {
  readonly options: ImportOptions;
  readonly plan: Plan;
  readonly onChange: (options: ImportOptions) => void;
}

export function Preview({ options, plan, onChange }: PreviewProps) {
  const { sheet } = options;
  const all = plan.rowPlans.map((_plan, at) => at);
  const places = Map.groupBy(all, (at) => plan.rowPlans[at]!.kind);
  const [chosen, setChosen] = useState<RowPlan['kind'] | 'all'>(places.has('bad') ? 'bad' : 'all');
  const [page, setPage] = useState(0);
  const kind = chosen !== 'all' && !places.has(chosen) ? 'all' : chosen;
  const listed = kind === 'all' ? all : places.get(kind)!;
  const last = Math.max(0, Math.ceil(listed.length / ROWS_PER_PAGE) - 1);
  const shownPage = Math.min(page, last);
  const shown = listed.slice(shownPage * ROWS_PER_PAGE, (shownPage + 1) * ROWS_PER_PAGE);
  const filters = [['all', all.length] as const, ...[...places].map(([each, { length }]) => [each, length] as const)];
  return (
    <>
      <div className="line wrap" role="group" aria-label={t.importing.shownRows}>
        {filters.map(([each, count]) => (
          <Button key={each} aria-pressed={kind === each} onClick={() => setChosen(each)}>
            {`${t.importing.kinds[each]} (${formatNumber(count)})`}
          </Button>
        ))}
        <span className="space" />
        {last > 0 && (
          <Steps
            icons={['chevron-left', 'chevron-right']}
            labels={[t.importing.previousPage, t.importing.nextPage]}
            at={shownPage}
            last={last}
            onMove={setPage}
          >
            {t.importing.page(shownPage + 1, last + 1)}
          </Steps>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll the table */}
      <section className="import-table panel" tabIndex={0} aria-label={t.importing.preview}>
        <Table
          heads={[
            t.grid.row,
            t.importing.outcome,
            ...sheet.columns.map((name, column) => (
              <ColumnHead key={name} {...{ options, plan, name, column, onChange }} />
            )),
          ]}
        >
          <tbody>
            {shown.map((at) => (
              <PreviewRow
                key={sheet.rows[at]!.line}
                options={options}
                at={at}
                plan={plan.rowPlans[at]!}
                onFix={(column, text) => onChange({ ...options, sheet: withCell(sheet, at, column, text) })}
              />
            ))}
          </tbody>
        </Table>
      </section>
    </>
  );
}

interface ColumnHeadProps extends PreviewProps {
  readonly name: string;
  readonly column: number;
}

/** The field of a column, and the notation of its numbers or dates if its cells are ambiguous. */
function ColumnHead({ options, plan, name, column, onChange }: ColumnHeadProps) {
  const { collection, mapping, formats } = options;
  const field = mapping[column];
  return (
    <div className="stack">
      <span>{name}</span>
      <select
        aria-label={t.importing.fieldOf(name)}
        value={field?.name ?? ''}
        onChange={({ target }) =>
          onChange(withMapping(options, withField(mapping, column, collection.byName.get(target.value))))
        }
      >
        <option value="">{t.importing.leaveOut}</option>
        <Options of={importableFields(collection).map((each) => [each.name, labelOf(each)] as const)} />
      </select>
      <NotationSelect
        notations={plan.notations}
        field={field}
        column={name}
        onChange={(each, notation) => onChange({ ...options, formats: { ...formats, [each.name]: notation } })}
      />
    </div>
  );
}
