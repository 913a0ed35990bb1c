/** Chooses the columns of a grid, their order and width, and the height of its rows. */
import { useState } from 'react';
import { labelOf } from '../../api/catalogue.ts';
import type { ListQuery } from '../../api/query/list.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Check, Select } from '../../components/inputs.tsx';
import { t } from '../../i18n/text.ts';
import {
  columnsOf,
  MIN_WIDTH,
  moveColumn,
  setColumnSettings,
  toggleColumn,
  useColumnSettings,
  withWidth,
} from '../../views/columns.ts';

export default function ColumnsDialog({ query }: { readonly query: ListQuery }) {
  const { collection } = query;
  const settings = useColumnSettings(query);
  const columns = columnsOf(collection, { ...settings, hidden: [] });
  const set = (next: typeof settings) => setColumnSettings(query, next);
  /** The inputs of widths keep what is typed until a reset. */
  const [resets, setResets] = useState(0);
  const reset = () => {
    set({});
    setResets(resets + 1);
  };
  return (
    <Dialog title={t.grid.columns} actions={<Button onClick={reset}>{t.grid.resetColumns}</Button>}>
      <p>{t.grid.columnsText}</p>
      <ul className="stack">
        {columns.map(({ field, width }, at) => (
          <li key={field.name} className="line">
            <Check
              className="space"
              checked={settings.hidden?.includes(field.name) !== true}
              disabled={at === 0}
              onChange={() => set(toggleColumn(settings, field.name))}
            >
              {labelOf(field)}
            </Check>
            <input
              type="number"
              aria-label={t.grid.widthOf(labelOf(field))}
              min={MIN_WIDTH}
              step={10}
              key={resets}
              defaultValue={width}
              onChange={({ target: { valueAsNumber: next } }) =>
                next >= MIN_WIDTH && set(withWidth(settings, field.name, next))
              }
            />
            <IconButton
              icon="arrow-up"
              label={t.grid.moveUp(labelOf(field))}
              className="small"
              disabled={at < 2}
              onClick={() => set(moveColumn(collection, settings, field.name, columns[at - 1]!.field.name))}
            />
            <IconButton
              icon="arrow-down"
              label={t.grid.moveDown(labelOf(field))}
              className="small"
              disabled={at === 0 || at === columns.length - 1}
              onClick={() => set(moveColumn(collection, settings, field.name, columns[at + 1]!.field.name))}
            />
          </li>
        ))}
      </ul>
      <Select
        label={t.grid.rowHeight}
        value={settings.rowHeight ?? 'normal'}
        options={t.grid.rowHeights}
        onChange={(rowHeight) => set({ ...settings, rowHeight })}
      />
    </Dialog>
  );
}
