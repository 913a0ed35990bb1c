/** The head of the grid: select all of the page, and sort by a column. It stays in sight while one scrolls. */
import { useListContext } from 'react-admin';
import type { Field } from '../../../collection/declaration.ts';
import { labelOf } from '../shared/collection.ts';
import { BUTTONS_WIDTH, columnClass, columnWidth, TICK_WIDTH } from './grid-style.ts';
import { useSelection } from './selection.tsx';

export function Head({ columns }: { readonly columns: readonly Field[] }) {
  const { isWholePage, actions } = useSelection();
  return (
    <>
      <colgroup>
        <col style={{ width: TICK_WIDTH }} />
        {columns.map((field) => (
          <col key={field.name} style={{ width: columnWidth(field) }} />
        ))}
        <col style={{ width: BUTTONS_WIDTH }} />
      </colgroup>
      <thead>
        <tr>
          <th scope="col" className="select">
            <input
              type="checkbox"
              aria-label="Select all"
              title="Select all on this page"
              checked={isWholePage}
              onChange={(event) => actions.selectPage(event.target.checked)}
            />
          </th>
          {columns.map((field) => (
            <SortCell key={field.name} field={field} />
          ))}
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
    </>
  );
}

const WORDS = { ASC: 'ascending', DESC: 'descending' } as const;

function SortCell({ field }: { readonly field: Field }) {
  const { sort, setSort } = useListContext();
  const label = labelOf(field);
  const isSorted = sort.field === field.name;
  const order = sort.order === 'DESC' ? 'DESC' : 'ASC';
  const next = isSorted && order === 'ASC' ? 'DESC' : 'ASC';
  const title = `Sort by ${label === label.toUpperCase() ? label : label.toLowerCase()} ${WORDS[next]}`;
  return (
    <th scope="col" className={columnClass(field)} {...(isSorted ? { 'aria-sort': WORDS[order] } : {})}>
      <button
        type="button"
        title={title}
        aria-label={title}
        onClick={() => setSort({ field: field.name, order: next })}
      >
        {label}
        {isSorted && <span aria-hidden="true">{order === 'ASC' ? '\u00a0↑' : '\u00a0↓'}</span>}
      </button>
    </th>
  );
}
