/** A list as a board: a column for each value of a field. Cards are moved by drag and drop, or with their menu. */
import { type DragEvent, useState } from 'react';
import { type Collection, type Field, type Row, titleOf, type Value } from '../api/catalogue.ts';
import { invalidate } from '../api/queries.ts';
import { equals } from '../api/query/filter-text.ts';
import { keyText } from '../api/query/keys.ts';
import type { ListQuery } from '../api/query/list.ts';
import { saveRow } from '../api/save-row.ts';
import { choiceItems, Menu } from '../components/menu.tsx';
import { ErrorMessage } from '../components/small.tsx';
import { notifyError, notifySaved } from '../components/toasts.tsx';
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

type Move = (row: Row, value: Value) => void;

interface BoardProps {
  readonly query: ListQuery;
  readonly field: Field;
  readonly selection: CardSelection;
}

export default function Board({ query, field, selection }: BoardProps) {
  const { collection } = query;
  const values = valuesOf(field);
  const [dragged, setDragged] = useState<Row>();
  const move: Move = (row, value) => {
    void moveRow(collection, field, row, value);
  };
  return (
    <div className="board">
      {values.map((value) => (
        <BoardColumn
          key={String(value)}
          query={{ ...query, filters: [...query.filters, [field.name, equals(value)]] }}
          field={field}
          value={value}
          values={values}
          move={move}
          selection={selection}
          dragged={dragged}
          onDrag={setDragged}
        />
      ))}
    </div>
  );
}

async function moveRow(collection: Collection, field: Field, row: Row, value: Value): Promise<void> {
  try {
    const outcome = await saveRow(collection, row, { [field.name]: value });
    notifySaved(collection, outcome, t.views.moved(titleOf(collection, row), nameOf(collection, field, value)));
  } catch (error) {
    notifyError(error);
  }
  await invalidate(collection);
}

const nameOf = (collection: Collection, field: Field, value: Value): string =>
  value === null ? t.views.noValue : formatValue({ collection, field }, value);

interface BoardColumnProps extends BoardProps {
  readonly value: Value;
  readonly values: readonly Value[];
  readonly move: Move;
  readonly dragged: Row | undefined;
  readonly onDrag: (row: Row | undefined) => void;
}

function BoardColumn({ query, field, selection, value, values, move, dragged, onDrag }: BoardColumnProps) {
  const { collection } = query;
  const { rows, total, end, error, refetch } = useMoreRows(query);
  const valueName = (each: Value) => nameOf(collection, field, each);
  const name = valueName(value);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    if (dragged !== undefined && dragged[field.name] !== value) move(dragged, value);
    onDrag(undefined);
  };
  return (
    <section
      className="board-column"
      aria-label={name}
      onDragOver={(event) => dragged !== undefined && event.preventDefault()}
      onDrop={onDrop}
    >
      <h2>
        {name} <span className="count">{formatNumber(total)}</span>
      </h2>
      {error !== null && <ErrorMessage error={error} onRetry={refetch} />}
      <ul>
        {rows.map((row) => (
          <li
            key={keyText(collection, row)}
            draggable
            onDragStart={() => onDrag(row)}
            onDragEnd={() => onDrag(undefined)}
          >
            <RowCard query={query} row={row} omitted={field} selection={selection}>
              <Menu
                label={t.views.move(titleOf(collection, row))}
                icon="arrow-right-left"
                className="icon-button small"
                groups={[{ items: choiceItems(values, value, valueName, (each) => each !== value && move(row, each)) }]}
              />
            </RowCard>
          </li>
        ))}
      </ul>
      <div ref={end} />
    </section>
  );
}
