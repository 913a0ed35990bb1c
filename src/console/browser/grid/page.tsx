/** The page of a collection: its toolbar and its rows. */
import { useEffect, useMemo } from 'react';
import { isStored, useAddedRows } from '../api/added-rows.ts';
import { setOwn, useAddress } from '../api/address.ts';
import { labelOf, may, titleOfCollection } from '../api/catalogue.ts';
import { loadRows, useRows } from '../api/queries.ts';
import { type ListQuery, listUrl, ownValue, parseQuery, ROW, rememberList, unindexedOrder } from '../api/query/list.ts';
import { keyText, pathOf } from '../api/query/text.ts';
import { Button } from '../components/button.tsx';
import { showDialog } from '../components/dialog.tsx';
import { dialogOnDemand, onDemand } from '../components/on-demand.tsx';
import { NotFound, PageTitle } from '../components/small.tsx';
import { notifyError } from '../components/toasts.tsx';
import { Toolbar } from '../components/toolbar.tsx';
import { ExportMenu } from '../export/export-menu.tsx';
import { FilterBar } from '../find/filter-bar.tsx';
import { facetFields } from '../find/quick-fields.ts';
import { t } from '../i18n/text.ts';
import { useLayout } from '../views/layouts.ts';
import { ViewTabs } from '../views/view-tabs.tsx';
import { Grid } from './grid.tsx';
import { SelectionBar } from './many-rows/selection-bar.tsx';
import { type CheckedRows, useChecked } from './many-rows/use-checked.ts';
import { UnsavedCells } from './unsaved.tsx';
import { useLiveRows } from './use-live-rows.ts';

const Board = onDemand(() => import('../views/board.tsx'));
const TreeView = onDemand(() => import('../views/tree.tsx'));
const Cards = onDemand(() => import('../views/cards.tsx'));
const ColumnsDialog = dialogOnDemand(() => import('./columns/columns-dialog.tsx'));
const Facets = onDemand(() => import('../find/facets.tsx'));
const RowPanel = onDemand(() => import('./row-panel.tsx'));

export function ListPage() {
  const { collection, query: search } = useAddress();
  const query = useMemo(() => collection && parseQuery(collection, search), [collection, search]);
  if (query === undefined) return <NotFound />;
  return <List key={query.collection.name} query={query} />;
}

function List({ query }: { readonly query: ListQuery }) {
  const checked = useChecked(query);
  const url = listUrl(query);
  const layout = useLayout(query);
  const { collection } = query;
  const rowKey = ownValue(query, ROW);
  useEffect(() => rememberList(query), [query]);
  const showRow = (key: string | undefined) => setOwn(collection, ROW, key, { replace: rowKey !== undefined });
  const open = (index: number) =>
    void loadRows(query, index, index).then(
      ([row]) => row && isStored(collection, row) && showRow(keyText(collection, row)),
      notifyError,
    );
  return (
    <div className="facets-and-list">
      {query.search !== '' && facetFields(collection).length > 0 && (
        // It has its width before its figures arrive, so that no cell moves below the pointer.
        <aside className="facets stack" aria-label={t.find.facets}>
          <Facets query={query} />
        </aside>
      )}
      <section className="list-page">
        <ListHead query={query} checked={checked} />
        <ViewTabs query={query} />
        <FilterBar query={query} />
        <div className="list-and-row">
          <div className="list-rows">
            {layout.kind === 'table' && <Grid key={url} query={query} checked={checked} open={open} />}
            {layout.kind !== 'table' && <LiveRows query={query} />}
            {layout.kind === 'cards' && <Cards key={url} query={query} selection={checked} />}
            {layout.kind === 'board' && <Board key={url} query={query} field={layout.field} selection={checked} />}
            {layout.kind === 'tree' && <TreeView key={url} query={query} field={layout.field} open={showRow} />}
            {/* At the foot, where it moves no row below the pointer. */}
            <SelectionBar query={query} checked={checked} />
            <UnsavedCells collection={collection} />
          </div>
          {/* Below the head, whose buttons would wrap beside it and move the rows. */}
          {rowKey !== undefined && (
            <RowPanel query={query} rowKey={rowKey} onMove={open} onClose={() => showRow(undefined)} />
          )}
        </div>
      </section>
    </div>
  );
}

/** Reloads cards and trees when others change rows. */
function LiveRows({ query }: { readonly query: ListQuery }) {
  useLiveRows(query, undefined, true);
  return null;
}

function ListHead({ query, checked }: { readonly query: ListQuery; readonly checked: CheckedRows }) {
  const { collection } = query;
  const { total } = useRows(query, 0, 0);
  const unindexed = unindexedOrder(query);
  const added = useAddedRows(query).filter((row) => isStored(collection, row)).length;
  return (
    <header className="list-head line">
      <PageTitle title={titleOfCollection(collection)} />
      {/* A search or a filter announces its result. */}
      <span className="count" role="status">
        {total !== undefined && t.grid.rows(total + added)}
      </span>
      {total === undefined && unindexed !== undefined && (
        <span className="help late">{t.grid.needsIndex(labelOf(unindexed))}</span>
      )}
      <span className="space" />
      <Toolbar aria-label={t.grid.actions} className="line">
        <ExportMenu query={query} rows={checked.isAll ? undefined : [...checked.rows.values()]} />
        {(may('create', collection) || may('update', collection)) && (
          <Button href={`/import${pathOf(collection)}`} icon="file-up">
            {t.importing.open}
          </Button>
        )}
        <Button icon="columns-3" onClick={() => showDialog(<ColumnsDialog query={query} />)}>
          {t.grid.columns}
        </Button>
        {may('create', collection) && (
          <Button href={`/new${pathOf(collection)}`} kind="primary" icon="plus">
            {t.grid.newRow}
          </Button>
        )}
      </Toolbar>
    </header>
  );
}
