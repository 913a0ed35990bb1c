/** The filters of a list: quick filters, chips that can be changed, all conditions, and the request. */
import { useRef, useState } from 'react';
import { changeList, goTo, setFilter } from '../api/address.ts';
import { type Field, labelOf } from '../api/catalogue.ts';
import { useRows } from '../api/queries.ts';
import { type FilterField, filterField, filterFields, readFilter } from '../api/query/filters.ts';
import type { ListQuery, Pair } from '../api/query/list.ts';
import { pathOf } from '../api/query/text.ts';
import { Button, IconButton } from '../components/button.tsx';
import { showDialog } from '../components/dialog.tsx';
import { Menu } from '../components/menu.tsx';
import { dialogOnDemand } from '../components/on-demand.tsx';
import { Toolbar } from '../components/toolbar.tsx';
import { t } from '../i18n/text.ts';
import { FilterPopover } from './filter-popover.tsx';
import { describeCondition } from './or-groups.ts';
import { quickFields } from './quick-fields.ts';
import { RequestLine } from './request-line.tsx';

const AdvancedDialog = dialogOnDemand(() => import('./advanced-dialog.tsx'));

export function FilterBar({ query }: { readonly query: ListQuery }) {
  const { collection, filters } = query;
  // The first page brings the titles of references, which the chips show.
  useRows(query, 0, 0);
  const [edited, setEdited] = useState<FilterField>();
  /** On a phone, the filters are behind a button. */
  const [isShown, setShown] = useState(false);
  const anchor = useRef<HTMLElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const show = (next: readonly Pair[]) => changeList(collection, { filters: next });
  const openAdvanced = () => showDialog(<AdvancedDialog query={query} onApply={show} />);
  const open = (filter: FilterField, button?: HTMLElement) => {
    anchor.current = button ?? bar.current;
    setEdited(filter);
  };
  const apply = ({ name: filtered }: FilterField, conditions: readonly string[]) => {
    setEdited(undefined);
    setFilter(collection, filtered, () => conditions);
    // A quick filter has become a chip, which has the focus then.
    const chip = `[data-filter="${CSS.escape(filtered)}"]`;
    setTimeout(() => document.querySelector<HTMLElement>(chip)?.focus());
  };
  const groups = Map.groupBy(filterFields(collection), ({ via }) => (via === undefined ? '' : labelOf(via)));
  const isFree = (field: Field) => !filters.some(([name]) => name === field.name);
  return (
    <Toolbar aria-label={t.find.filters} className={`filter-bar line wrap${isShown ? ' shown' : ''}`}>
      <Button
        className="filter-toggle small"
        icon="list-filter"
        aria-expanded={isShown}
        onClick={() => setShown(!isShown)}
      >
        {filters.length === 0 ? t.find.filters : t.find.filtersOf(filters.length)}
      </Button>
      <div ref={bar} className="line wrap" role="group" aria-label={t.find.quick}>
        {quickFields(collection)
          .filter(isFree)
          .map((field) => (
            <Button
              key={field.name}
              kind="quiet"
              className="small"
              icon="list-filter"
              onClick={({ currentTarget }) => open(filterField(collection, field), currentTarget)}
            >
              {labelOf(field)}
            </Button>
          ))}
      </div>
      {filters.map(([name, condition], at) => {
        const filter = readFilter(collection, name);
        const label = describeCondition(collection, [name, condition]);
        return (
          <span key={label} className="chip">
            <button
              type="button"
              data-filter={name}
              onClick={({ currentTarget }) => (filter === undefined ? openAdvanced() : open(filter, currentTarget))}
            >
              {label}
            </button>
            <IconButton
              icon="x"
              className="small"
              label={t.app.removeItem(label)}
              onClick={() => show(filters.toSpliced(at, 1))}
            />
          </span>
        );
      })}
      <Menu
        icon="plus"
        label={t.find.addFilter}
        text={t.find.addFilter}
        className="button quiet small"
        groups={[...groups].map(([label, items]) => ({
          label,
          items: items.map((filter) => ({ label: labelOf(filter.field), onChoose: () => open(filter) })),
        }))}
      />
      <Button kind="quiet" className="small" icon="sliders-horizontal" onClick={openAdvanced}>
        {t.find.allConditions}
      </Button>
      {(filters.length > 0 || query.search !== '') && (
        <Button kind="quiet" className="small" onClick={() => goTo(`/c${pathOf(collection)}`)}>
          {t.grid.clearFilters}
        </Button>
      )}
      <span className="space" />
      <RequestLine query={query} />
      {edited !== undefined && (
        <FilterPopover
          key={edited.name}
          query={query}
          filter={edited}
          anchor={anchor}
          onApply={(conditions) => apply(edited, conditions)}
          onAdvanced={() => {
            setEdited(undefined);
            void openAdvanced();
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Toolbar>
  );
}
