/** The changes of a request as a table: row, field, the old and the new value, and one button to get it back. */
import { Link } from 'wouter';
import { collectionNamed, type Field, labelOf, mayWrite, titleOfCollection } from '../api/catalogue.ts';
import { type Change, rowOfLogKey } from '../api/changes.ts';
import { rowAddress } from '../api/query/text.ts';
import { titleOfChange, useChangeTitles } from '../api/query/title-lookup.ts';
import { IconButton } from '../components/button.tsx';
import { Table } from '../components/table.tsx';
import { t } from '../i18n/text.ts';
import { restoreRow } from './restore.tsx';
import { changedFields, OldAndNew, valueIn } from './values.tsx';

interface ChangeTableProps {
  readonly changes: readonly Change[];
  readonly onRestoreValue: (change: Change, field: Field) => void;
}

export function ChangeTable({ changes, onRestoreValue }: ChangeTableProps) {
  useChangeTitles(changes);
  return (
    <div className="table-scroll">
      <Table className="change-table" heads={t.history.heads} hasActions>
        {changes.map((change) => {
          const collection = collectionNamed(change.collection);
          if (collection === undefined) return null;
          const fields = changedFields(collection, change);
          const restore = (field: Field | undefined, at: number) => {
            if (change.kind !== 'update') return at === 0 && ([t.history.restoreRow[change.kind], restoreRow] as const);
            if (field === undefined || !mayWrite(collection, field, false)) return false;
            const label = t.history.restoreValue(valueIn(collection, field, change.before));
            return [label, () => onRestoreValue(change, field)] as const;
          };
          // A change of times that the service sets has no line of its own.
          const lines: readonly (Field | undefined)[] = fields.length === 0 ? [undefined] : fields;
          return (
            <tbody key={change.seq}>
              {lines.map((field, at) => {
                const action = restore(field, at);
                return (
                  <tr key={field?.name ?? ''}>
                    {at === 0 && (
                      <th scope="rowgroup" rowSpan={lines.length}>
                        <Link href={rowAddress(collection, rowOfLogKey(collection, change.key))}>
                          {titleOfChange(change)}
                        </Link>
                        <span className="help">
                          {titleOfCollection(collection)}
                          {change.kind !== 'update' && ` · ${t.history.kinds[change.kind]}`}
                        </span>
                      </th>
                    )}
                    <td className="help">{field && labelOf(field)}</td>
                    <td>
                      {field !== undefined && <OldAndNew collection={collection} field={field} change={change} />}
                    </td>
                    <td className="row-actions">
                      {action !== false && (
                        <IconButton
                          icon="undo-2"
                          className="small"
                          label={action[0]}
                          onClick={() => action[1](change)}
                        />
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          );
        })}
      </Table>
    </div>
  );
}
