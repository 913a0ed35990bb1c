/** The preview of a paste: the cells that change, old → new, the new rows, and the cells that cannot change. */
import { useState } from 'react';
import type { Notations } from '../../../../import/cells.ts';
import { type Collection, type Field, labelOf, titleOf } from '../../api/catalogue.ts';
import { newRequestId } from '../../api/rows.ts';
import { Dialog } from '../../components/dialog.tsx';
import { NotationSelect } from '../../fields/notation-select.tsx';
import type { Formats } from '../../fields/parse.ts';
import { formatValue } from '../../fields/registry.ts';
import { formatNumber } from '../../i18n/numbers.ts';
import { t } from '../../i18n/text.ts';
import { saveRows } from '../edits.ts';
import { editsOf, type Plan } from './paste.ts';

const MAX_SHOWN = 100;

interface PasteDialogProps {
  readonly collection: Collection;
  readonly fields: readonly Field[];
  readonly planWith: (formats: Formats) => Plan & { readonly notations: Notations };
}

export default function PasteDialog({ collection, fields, planWith }: PasteDialogProps) {
  // Each plan has one request id: a second attempt after a lost answer adds no row twice.
  const [{ chosen, requestId }, choose] = useState(() => ({ chosen: {} as Formats, requestId: newRequestId() }));
  const { changes, added, problems, omittedRows, omittedColumns, notations } = planWith(chosen);
  const onSubmit = () =>
    saveRows(collection, editsOf(changes), () => t.grid.pasted(changes.length, added.length), added, requestId);
  const submit = { label: t.grid.applyPaste(changes.length, added.length), onSubmit };
  const lines = [
    ...changes.map((change) => ({ ...change, title: titleOf(collection, change.row) })),
    ...added.flatMap((row) =>
      Object.entries(row).map(([name, after]) => {
        const place = { collection, field: collection.byName.get(name)! };
        return { title: t.grid.newRow, place, before: null, after };
      }),
    ),
  ];
  const hidden = Math.max(0, lines.length - MAX_SHOWN);
  const formats = fields.filter((field) => (notations.of(field)?.choices.length ?? 0) > 0);
  return (
    <Dialog title={t.grid.pasteTitle} size="large" {...(lines.length > 0 && { submit })}>
      <p role="status">{t.grid.pasteSummary(changes.length, added.length, problems.length)}</p>
      {formats.length > 0 && (
        <div className="line wrap">
          {formats.map((field) => (
            <span key={field.name} className="line">
              {labelOf(field)}
              <NotationSelect
                notations={notations}
                field={field}
                column={labelOf(field)}
                onChange={(each, notation) =>
                  choose({ chosen: { ...chosen, [each.name]: notation }, requestId: newRequestId() })
                }
              />
            </span>
          ))}
        </div>
      )}
      {omittedRows > 0 && <p className="problem">{t.grid.omittedRows(formatNumber(omittedRows))}</p>}
      {omittedColumns > 0 && <p className="problem">{t.grid.omittedColumns(formatNumber(omittedColumns))}</p>}
      {problems.length > 0 && (
        <ul className="bullets problem">
          {problems.slice(0, MAX_SHOWN).map(({ title, place, text, problem }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <li key={at}>
              <b>{title}</b> · {labelOf(place.field)}: {text !== '' && `“${text}”. `}
              {problem}
            </li>
          ))}
        </ul>
      )}
      {lines.length > 0 && (
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
            {lines.slice(0, MAX_SHOWN).map(({ title, place, before, after }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
              <tr key={at}>
                <td>{title}</td>
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
