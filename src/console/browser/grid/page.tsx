/** The page of a collection: its toolbar and its rows. */
import { useMemo, useState } from 'react';
import { useAddress } from '../api/address.ts';
import { may, titleOfCollection } from '../api/catalogue.ts';
import { useRows } from '../api/queries.ts';
import { pathOf } from '../api/query/filter-text.ts';
import { type ListQuery, listUrl, parseQuery } from '../api/query/list.ts';
import { Button } from '../components/button.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { NotFound, PageTitle } from '../components/small.tsx';
import { ExportMenu } from '../export/export-menu.tsx';
import { FilterBar } from '../find/filter-bar.tsx';
import { t } from '../i18n/text.ts';
import { useLayout } from '../views/layouts.ts';
import { ViewTabs } from '../views/view-tabs.tsx';
import { Grid } from './grid.tsx';
import { SelectionBar } from './many-rows/selection-bar.tsx';
import { type CheckedRows, useChecked } from './many-rows/use-checked.ts';

const Board = onDemand(() => import('../views/board.tsx'));
const Cards = onDemand(() => import('../views/cards.tsx'));
const ColumnsDialog = onDemand(() => import('./columns/columns-dialog.tsx'));
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
  /** The row beside the list. Another filter or order closes it, since its place changes. */
  const [opened, setOpened] = useState<{ readonly url: string; readonly index: number }>();
  const open = (index: number) => setOpened({ url, index });
  const close = () => {
    setOpened(undefined);
    document.querySelector<HTMLElement>('[role=grid]')?.focus();
  };
  return (
    <div className="list-and-row">
      <section className="list-page">
        <ListHead query={query} checked={checked} />
        <ViewTabs query={query} />
        <FilterBar query={query} />
        <SelectionBar query={query} checked={checked} />
        {layout.kind === 'table' && <Grid key={url} query={query} checked={checked} open={open} />}
        {layout.kind === 'cards' && <Cards key={url} query={query} />}
        {layout.kind === 'board' && <Board key={url} query={query} field={layout.field} />}
      </section>
      {opened?.url === url && <RowPanel query={query} index={opened.index} onMove={open} onClose={close} />}
    </div>
  );
}

function ListHead({ query, checked }: { readonly query: ListQuery; readonly checked: CheckedRows }) {
  const { collection } = query;
  const { total } = useRows(query, 0, 0);
  const [isArranging, setArranging] = useState(false);
  return (
    <header className="list-head line">
      <PageTitle title={titleOfCollection(collection)} />
      {total !== undefined && <span className="count">{t.grid.rows(total)}</span>}
      <span className="space" />
      <ExportMenu query={query} rows={checked.isAll ? undefined : [...checked.rows.values()]} />
      {(may('create', collection) || may('update', collection)) && (
        <Button href={`/import${pathOf(collection)}`} icon="file-up">
          {t.importing.open}
        </Button>
      )}
      <Button icon="columns-3" onClick={() => setArranging(true)}>
        {t.grid.columns}
      </Button>
      {isArranging && <ColumnsDialog collection={collection} onClose={() => setArranging(false)} />}
      {may('create', collection) && (
        <Button href={`/new${pathOf(collection)}`} kind="primary" icon="plus">
          {t.grid.newRow}
        </Button>
      )}
    </header>
  );
}
