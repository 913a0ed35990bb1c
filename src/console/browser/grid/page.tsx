/** The page of a collection: its toolbar and its rows. */
import { FileUp, Plus } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { may, titleOfCollection } from '../api/catalogue.ts';
import { type ListQuery, listUrl, parseQuery } from '../api/list.ts';
import { useRows } from '../api/queries.ts';
import { usePageAddress, useQueryText } from '../app/address.ts';
import { NotFound } from '../app/not-found.tsx';
import { ExportMenu } from '../export/export-menu.tsx';
import { formatNumber } from '../fields/numbers.ts';
import { FilterBar } from '../find/filter-bar.tsx';
import { t } from '../i18n/text.ts';
import { ViewTabs } from '../views/view-tabs.tsx';
import { Grid } from './grid.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { type CheckedRows, useChecked } from './use-checked.ts';

const RowPanel = lazy(() => import('./row-panel.tsx'));

export function ListPage() {
  const { collection } = usePageAddress();
  const search = useQueryText();
  const query = useMemo(() => collection && parseQuery(collection, search), [collection, search]);
  if (query === undefined) return <NotFound />;
  return <List key={query.collection.name} query={query} />;
}

function List({ query }: { readonly query: ListQuery }) {
  const checked = useChecked(query);
  const [opened, setOpened] = useState<number>();
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
        <Grid key={listUrl(query)} query={query} checked={checked} open={setOpened} />
      </section>
      {opened !== undefined && (
        <Suspense>
          <RowPanel query={query} index={opened} onMove={setOpened} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}

function ListHead({ query, checked }: { readonly query: ListQuery; readonly checked: CheckedRows }) {
  const { collection } = query;
  const { total } = useRows(query, 0, 0);
  return (
    <header className="list-head">
      <h1>{titleOfCollection(collection)}</h1>
      {total !== undefined && <span className="count">{t.grid.rows(formatNumber(total), total === 1)}</span>}
      <span className="space" />
      <ExportMenu query={query} rows={checked.isAll ? undefined : [...checked.rows.values()]} />
      {(may('create', collection) || may('update', collection)) && (
        <Link href={`/import/${collection.name}`} className="button">
          <FileUp size={16} />
          {t.importing.open}
        </Link>
      )}
      {may('create', collection) && (
        <Link href={`/new/${collection.name}`} className="button primary">
          <Plus size={16} />
          {t.grid.newRow}
        </Link>
      )}
    </header>
  );
}
