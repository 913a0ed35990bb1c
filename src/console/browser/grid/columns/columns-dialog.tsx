/** Chooses the columns of a grid, their order, and the height of its rows. */
import { type Collection, labelOf } from '../../api/catalogue.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Check, Select } from '../../components/inputs.tsx';
import { t } from '../../i18n/text.ts';
import { columnsOf, moveColumn, setColumnSettings, toggleColumn, useColumnSettings } from '../../views/columns.ts';

interface ColumnsDialogProps {
  readonly collection: Collection;
  readonly onClose: () => void;
}

export default function ColumnsDialog({ collection, onClose }: ColumnsDialogProps) {
  const settings = useColumnSettings(collection);
  const fields = columnsOf(collection, { ...settings, hidden: [] }).map(({ field }) => field);
  const set = (next: typeof settings) => setColumnSettings(collection, next);
  return (
    <Dialog
      title={t.grid.columns}
      onClose={onClose}
      actions={<Button onClick={() => set({})}>{t.grid.resetColumns}</Button>}
    >
      <p>{t.grid.columnsText}</p>
      <ul className="stack">
        {fields.map((field, at) => (
          <li key={field.name} className="line">
            <Check
              className="space"
              checked={settings.hidden?.includes(field.name) !== true}
              disabled={at === 0}
              onChange={() => set(toggleColumn(settings, field.name))}
            >
              {labelOf(field)}
            </Check>
            <IconButton
              icon="arrow-up"
              label={t.grid.moveUp(labelOf(field))}
              className="small"
              disabled={at < 2}
              onClick={() => set(moveColumn(collection, settings, field.name, fields[at - 1]!.name))}
            />
            <IconButton
              icon="arrow-down"
              label={t.grid.moveDown(labelOf(field))}
              className="small"
              disabled={at === 0 || at === fields.length - 1}
              onClick={() => set(moveColumn(collection, settings, field.name, fields[at + 1]!.name))}
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
