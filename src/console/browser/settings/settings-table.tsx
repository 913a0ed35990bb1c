/** A table of named things with buttons for each. */
import type { ReactNode } from 'react';
import { Button } from '../components/button.tsx';

export interface NamedAction {
  readonly label: string;
  readonly onClick: () => unknown;
}

interface NamedRow {
  readonly name: string;
  /** Distinguishes rows of one name. */
  readonly id?: string;
}

interface SettingsTableProps<Row extends NamedRow> {
  /** The headings of the name and of the other columns. */
  readonly heads: readonly string[];
  readonly rows: readonly Row[];
  readonly cellsOf: (row: Row) => readonly ReactNode[];
  readonly actionsOf?: (row: Row) => readonly NamedAction[];
}

export function SettingsTable<Row extends NamedRow>(props: SettingsTableProps<Row>) {
  const { heads, rows, cellsOf, actionsOf } = props;
  return (
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head}>{head}</th>
          ))}
          {actionsOf !== undefined && <td />}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id ?? row.name}>
            <th scope="row">{row.name}</th>
            {cellsOf(row).map((cell, at) => (
              <td key={heads[at + 1]}>{cell}</td>
            ))}
            {actionsOf !== undefined && (
              <td>
                <div className="line wrap">
                  {actionsOf(row).map(({ label, onClick }) => (
                    <Button key={label} kind="quiet" className="small" onClick={onClick}>
                      {label}
                      <span className="visually-hidden"> {row.name}</span>
                    </Button>
                  ))}
                </div>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
