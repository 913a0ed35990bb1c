/** Parts of the settings: a panel of a named thing, and a table of named things, with buttons for each. */
import type { ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { EmptyState, Loaded, type LoadedProps } from '../components/small.tsx';
import { Table } from '../components/table.tsx';

export interface NamedAction {
  readonly label: string;
  readonly onClick: () => unknown;
}

interface NamedButtonsProps {
  /** The thing that the buttons act on, for screen readers. */
  readonly name: string;
  readonly actions: readonly (NamedAction | false)[];
  readonly isSmall?: boolean;
}

function NamedButtons({ name, actions, isSmall = false }: NamedButtonsProps) {
  return actions
    .filter((each) => each !== false)
    .map(({ label, onClick }) => (
      <Button key={label} {...(isSmall && { kind: 'quiet', className: 'small' })} onClick={onClick}>
        {label}
        <span className="visually-hidden"> {name}</span>
      </Button>
    ));
}

export function AddButton({ label, onClick }: NamedAction) {
  return (
    <div>
      <Button kind="primary" icon="plus" onClick={onClick}>
        {label}
      </Button>
    </div>
  );
}

interface SettingsListProps<Of> {
  readonly query: LoadedProps<readonly Of[]>['query'];
  readonly add: NamedAction;
  readonly empty: { readonly title: string; readonly text?: string };
  readonly children: (data: readonly Of[]) => ReactNode;
}

/** A list of the service, with a button to add to it. */
export function SettingsList<Of>({ query, add, empty, children }: SettingsListProps<Of>) {
  return (
    <Loaded query={query}>
      {(data) => {
        const button = <AddButton {...add} />;
        if (data.length === 0) return <EmptyState {...empty}>{button}</EmptyState>;
        return (
          <>
            {button}
            {children(data)}
          </>
        );
      }}
    </Loaded>
  );
}

interface SettingsPartProps {
  readonly title: string;
  /** Shown behind the title. */
  readonly about?: ReactNode;
  readonly actions?: NamedButtonsProps['actions'];
  readonly children: ReactNode;
}

export function SettingsPart({ title, about, actions = [], children }: SettingsPartProps) {
  return (
    // A keyboard must be able to scroll a table without buttons.
    <section className="panel stack settings-part" {...(actions.length === 0 && { tabIndex: 0 })}>
      <div className="line wrap">
        <h2>{title}</h2>
        {about}
        <span className="space" />
        <NamedButtons name={title} actions={actions} />
      </div>
      {children}
    </section>
  );
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
  readonly actionsOf?: (row: Row) => NamedButtonsProps['actions'];
}

export function SettingsTable<Row extends NamedRow>(props: SettingsTableProps<Row>) {
  const { heads, rows, cellsOf, actionsOf } = props;
  return (
    <Table heads={heads} hasActions={actionsOf !== undefined}>
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
                  <NamedButtons isSmall name={row.name} actions={actionsOf(row)} />
                </div>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
