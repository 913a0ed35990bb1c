/** A list as a board: a column for each value of a field. Cards are moved by drag and drop, or with their menu. */
import { type Field, type Row, titleOf, type Value } from '../api/catalogue.ts';
import type { ListQuery } from '../api/query/list.ts';
import { equals, keyText } from '../api/query/text.ts';
import { type Dragged, useDragged } from '../components/drag.ts';
import { choiceItems, Menu } from '../components/menu.tsx';
import { ErrorMessage } from '../components/small.tsx';
import { notifyError, saveAndReport } from '../components/toasts.tsx';
import { formatValue } from '../fields/registry.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { useMoreRows } from './more-rows.ts';
import { type CardSelection, RowCard } from './row-card.tsx';

/** The values that the columns stand for. Only an optional field has a column without a value. */
function valuesOf({ rules, required, type }: Field): readonly Value[] {
  const values = rules.oneOf ?? (type.input === 'switch' ? [true, false] : [1, 0]);
  return required ? values : [...values, null];
}

interface BoardProps {
  readonly query: ListQuery;
  readonly field: Field;
  readonly selection: CardSelection;
}

export default function Board({ query: list, field, selection }: BoardProps) {
  const { collection } = list;
  const values = valuesOf(field);
  const dragged = useDragged<Row>();
  const nameOf = (value: Value) => (value === null ? t.app.empty : formatValue({ collection, field }, value));
  const move = (row: Row, value: Value) => {
    const message = t.views.moved(titleOf(collection, row), nameOf(value));
    void saveAndReport(collection, row, { [field.name]: value }, message).catch(notifyError);
  };
  const board = { field, values, nameOf, move, selection, dragged };
  return (
    <div className="board">
      {values.map((value) => {
        const query = { ...list, filters: [...list.filters, [field.name, equals(value)] as const] };
        return <BoardColumn key={String(value)} {...board} query={query} value={value} />;
      })}
    </div>
  );
}

interface BoardColumnProps extends BoardProps {
  readonly value: Value;
  readonly values: readonly Value[];
  readonly nameOf: (value: Value) => string;
  readonly move: (row: Row, value: Value) => void;
  readonly dragged: Dragged<Row>;
}

function BoardColumn({ query, field, selection, value, values, nameOf, move, dragged }: BoardColumnProps) {
  const { collection } = query;
  const { rows, total, end, error, refetch } = useMoreRows(query);
  const name = nameOf(value);
  return (
    <section
      className="board-column"
      aria-label={name}
      {...dragged.target((row) => row[field.name] !== value && move(row, value))}
    >
      <h2>
        {name} <span className="count">{formatNumber(total)}</span>
      </h2>
      {error !== null && <ErrorMessage error={error} onRetry={refetch} />}
      <ul>
        {rows.map((row) => (
          <li key={keyText(collection, row)} {...dragged.source(row)}>
            <RowCard query={query} row={row} omitted={field} selection={selection}>
              <Menu
                label={t.views.move(titleOf(collection, row))}
                icon="arrow-right-left"
                className="icon-button small"
                groups={[{ items: choiceItems(values, value, nameOf, (each) => each !== value && move(row, each)) }]}
              />
            </RowCard>
          </li>
        ))}
      </ul>
      <div ref={end} />
    </section>
  );
}
