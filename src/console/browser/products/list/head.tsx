/** The head of the grid: selects all rows of the page and sorts. It stays visible while the rows scroll. */
import type { MouseEvent } from 'react';
import { useListContext } from 'react-admin';
import type { Field } from '../../../../collection/declaration.ts';
import { labelOf } from '../../shared/api/collection.ts';
import { sortKeysOf, sortOf } from '../../shared/api/query.ts';
import { BUTTONS_WIDTH, columnClass, TICK_WIDTH } from './grid-style.ts';
import { useSelection } from './selection.tsx';

interface HeadProps {
  readonly columns: readonly Field[];
  readonly widthOf: (field: Field) => number;
}

export function Head({ columns, widthOf }: HeadProps) {
  const { isWholePage, actions } = useSelection();
  return (
    <>
      <colgroup>
        <col style={{ width: TICK_WIDTH }} />
        {columns.map((field) => (
          <col key={field.name} style={{ width: widthOf(field) }} />
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

/** A click sorts by this column alone. Shift+click adds it after the other columns. */
function SortCell({ field }: { readonly field: Field }) {
  const { sort, setSort } = useListContext();
  const keys = sortKeysOf(sort);
  const label = labelOf(field);
  const at = keys.findIndex(({ name }) => name === field.name);
  const order = keys[at]?.order ?? 'ASC';
  const next = at !== -1 && order === 'ASC' ? 'DESC' : 'ASC';
  const title = `Sort by ${label === label.toUpperCase() ? label : label.toLowerCase()} ${WORDS[next]}`;
  const onClick = ({ shiftKey }: MouseEvent) => {
    const turned = { name: field.name, order: next } as const;
    if (!shiftKey) return setSort(sortOf([turned]));
    setSort(sortOf(at === -1 ? [...keys, turned] : keys.with(at, turned)));
  };
  return (
    <th scope="col" className={columnClass(field)} {...(at === 0 ? { 'aria-sort': WORDS[order] } : {})}>
      <button
        type="button"
        title={`${title}. With Shift: sort by this column after the others`}
        aria-label={title}
        onClick={onClick}
      >
        {label}
        {at !== -1 && (
          <span aria-hidden="true">
            {order === 'ASC' ? '\u00a0↑' : '\u00a0↓'}
            {keys.length > 1 && at + 1}
          </span>
        )}
      </button>
    </th>
  );
}
