/** The preview of a paste: the cells that change, old → new, and the cells that cannot. */
import { labelOf, titleOf } from '../../api/catalogue.ts';
import { Dialog } from '../../components/dialog.tsx';
import { formatValue } from '../../fields/registry.ts';
import { formatNumber } from '../../i18n/numbers.ts';
import { t } from '../../i18n/text.ts';
import type { Plan } from './paste.ts';

const MAX_SHOWN = 100;

interface PasteDialogProps {
  readonly plan: Plan;
  readonly onClose: () => void;
  readonly onApply: () => void;
}

export default function PasteDialog({ plan, onClose, onApply }: PasteDialogProps) {
  const { changes, problems, omittedRows, omittedColumns } = plan;
  const submit = { label: t.grid.changeCells(formatNumber(changes.length)), onSubmit: onApply };
  const hidden = Math.max(0, changes.length - MAX_SHOWN);
  return (
    <Dialog title={t.grid.pasteTitle} size="large" onClose={onClose} {...(changes.length > 0 && { submit })}>
      <p role="status">{t.grid.pasteSummary(formatNumber(changes.length), formatNumber(problems.length))}</p>
      {omittedRows > 0 && <p className="problem">{t.grid.omittedRows(formatNumber(omittedRows))}</p>}
      {omittedColumns > 0 && <p className="problem">{t.grid.omittedColumns(formatNumber(omittedColumns))}</p>}
      {problems.length > 0 && (
        <ul className="bullets problem">
          {problems.slice(0, MAX_SHOWN).map(({ title, place, text, problem }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <li key={at}>
              <b>{title}</b> · {labelOf(place.field)}: “{text}”. {problem}
            </li>
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>{t.grid.row}</th>
              <th>{t.app.field}</th>
              <th>{t.grid.oldValue}</th>
              <th>{t.grid.newValue}</th>
            </tr>
          </thead>
          <tbody>
            {changes.slice(0, MAX_SHOWN).map(({ row, place, before, after }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
              <tr key={at}>
                <td>{titleOf(place.collection, row)}</td>
                <td>{labelOf(place.field)}</td>
                <td>{formatValue(place, before)}</td>
                <td>{formatValue(place, after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hidden > 0 && <p>{t.grid.moreChanges(formatNumber(hidden))}</p>}
    </Dialog>
  );
}
