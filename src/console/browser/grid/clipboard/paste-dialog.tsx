/** The preview of a paste: the cells that change, old → new, the new rows, and the cells that cannot change. */
import { useState } from 'react';
import type { Notations } from '../../../../import/cells.ts';
import { type Collection, type Field, labelOf, titleOf } from '../../api/catalogue.ts';
import { newRequestId } from '../../api/rows.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Table } from '../../components/table.tsx';
import { NotationSelect } from '../../fields/notation-select.tsx';
import type { Formats } from '../../fields/parse.ts';
import { formatValue } from '../../fields/registry.ts';
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
  const lines = [
    ...changes.map((change) => ({ ...change, title: titleOf(collection, change.row) })),
    ...added.flatMap((row) =>
      Object.entries(row).map(([name, after]) => {
        const place = { collection, field: collection.byName.get(name)! };
        return { title: t.grid.newRow, place, before: null, after };
      }),
    ),
  ];
  /** Says a text of the changes and a text of the new rows, if there are any. */
  const say = (ofChanges: (count: number) => string, ofAdded: (count: number) => string, cells = changes.length) => [
    ...(cells > 0 ? [ofChanges(cells)] : []),
    ...(added.length > 0 ? [ofAdded(added.length)] : []),
  ];
  const onSubmit = () => {
    const report = (cells: number) => say(t.grid.cellsChanged, t.grid.rowsAdded, cells).join(' ');
    return saveRows(collection, editsOf(changes), report, added, requestId);
  };
  const [label, both] = say(t.grid.changeCells, t.grid.addRows);
  const submit = {
    label: both === undefined ? label! : t.grid.changeAndAdd(changes.length, added.length),
    isFirst: true,
    onSubmit,
  };
  const summary = lines.length === 0 ? [t.grid.willPaste(0)] : say(t.grid.willPaste, t.grid.willAdd);
  if (problems.length > 0) summary.push(t.grid.cannotPaste(problems.length));
  const hidden = Math.max(0, lines.length - MAX_SHOWN);
  const formats = fields.filter((field) => (notations.of(field)?.choices.length ?? 0) > 0);
  return (
    <Dialog title={t.grid.pasteTitle} size="large" {...(lines.length > 0 && { submit })}>
      <p role="status">{summary.join(' ')}</p>
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
      {omittedRows > 0 && <p className="problem">{t.grid.omittedRows(omittedRows)}</p>}
      {omittedColumns > 0 && <p className="problem">{t.grid.omittedColumns(omittedColumns)}</p>}
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
        <Table heads={[t.grid.row, t.app.field, t.grid.oldValue, t.grid.newValue]}>
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
        </Table>
      )}
      {hidden > 0 && <p>{t.grid.moreChanges(hidden)}</p>}
    </Dialog>
  );
}
