/** The head of the grid: select all of the page, and sort by a column. */
import {
  useDataTableCallbacksContext,
  useDataTableDataContext,
  useDataTableSelectedIdsContext,
  useDataTableSortContext,
} from 'ra-core';
import type { Field } from '../../../collection/declaration.ts';
import { labelOf, type Record_ } from '../shared/collection.ts';
import { columnClass } from './grid-style.ts';

export function Head({ columns }: { readonly columns: readonly Field[] }) {
  return (
    <thead>
      <tr>
        <th scope="col" className="select">
          <SelectPage />
        </th>
        {columns.map((field) => (
          <SortCell key={field.name} field={field} />
        ))}
        <th scope="col">
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

function SelectPage() {
  const data = useDataTableDataContext<Record_>() ?? [];
  const selected = useDataTableSelectedIdsContext() ?? [];
  const { onSelect } = useDataTableCallbacksContext();
  const ids = data.map(({ id }) => id);
  const others = selected.filter((id) => !ids.includes(id as number));
  return (
    <input
      type="checkbox"
      aria-label="Select all"
      checked={ids.length > 0 && ids.every((id) => selected.includes(id))}
      onChange={(event) => onSelect?.(event.target.checked ? [...others, ...ids] : others)}
    />
  );
}

const WORDS = { ASC: 'ascending', DESC: 'descending' } as const;

function SortCell({ field }: { readonly field: Field }) {
  const sort = useDataTableSortContext();
  const { handleSort } = useDataTableCallbacksContext();
  const label = labelOf(field);
  const isSorted = sort?.field === field.name;
  const next = isSorted && sort.order === 'ASC' ? 'DESC' : 'ASC';
  const title = `Sort by ${label === label.toUpperCase() ? label : label.toLowerCase()} ${WORDS[next]}`;
  return (
    <th scope="col" className={columnClass(field)} {...(isSorted ? { 'aria-sort': WORDS[sort.order] } : {})}>
      <button type="button" data-field={field.name} title={title} aria-label={title} onClick={handleSort}>
        {label}
        {isSorted && <span aria-hidden="true">{sort.order === 'ASC' ? '\u00a0↑' : '\u00a0↓'}</span>}
      </button>
    </th>
  );
}
