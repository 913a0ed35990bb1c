/** The checked rows, and what can be done with all of them. */
import { may } from '../../api/catalogue.ts';
import { loadedRows, useRows } from '../../api/queries.ts';
import type { ListQuery } from '../../api/query/list.ts';
import { keyText } from '../../api/query/text.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { showDialog } from '../../components/dialog.tsx';
import { dialogOnDemand } from '../../components/on-demand.tsx';
import { t } from '../../i18n/text.ts';
import type { CheckedRows } from './use-checked.ts';

const BulkDialog = dialogOnDemand(() => import('./bulk-dialog.tsx'));
const DeleteDialog = dialogOnDemand(() => import('../../record/delete-dialog.tsx'));

interface SelectionBarProps {
  readonly query: ListQuery;
  readonly checked: CheckedRows;
}

export function SelectionBar({ query, checked }: SelectionBarProps) {
  const { collection } = query;
  const { total = 0 } = useRows(query, 0, 0);
  const count = checked.isAll ? total : checked.rows.size;
  if (count === 0) return null;
  // The loaded rows have the changes of this page since the rows were checked.
  const loaded = new Map(loadedRows(collection).map((row) => [keyText(collection, row), row]));
  const rows = checked.isAll ? undefined : [...checked.rows].map(([key, row]) => loaded.get(key) ?? row);
  const target = { query, rows, count };
  const text = checked.isAll ? t.grid.allSelected(total) : t.grid.rowsSelected(count);
  return (
    <div className="selection-bar line wrap" role="toolbar" aria-label={t.grid.selection}>
      <span role="status">{text}</span>
      {may('update', collection) && (
        <Button icon="pencil" onClick={() => showDialog(<BulkDialog target={target} />)}>
          {t.grid.changeField}
        </Button>
      )}
      {may('delete', collection) && (
        <Button icon="trash" onClick={() => showDialog(<DeleteDialog target={target} onDeleted={checked.clear} />)}>
          {t.app.remove}
        </Button>
      )}
      <IconButton icon="x" label={t.grid.clearSelection} onClick={checked.clear} />
    </div>
  );
}
