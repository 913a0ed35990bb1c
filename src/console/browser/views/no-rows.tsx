/** The state of a list without rows, with a next step. */
import { may } from '../api/catalogue.ts';
import type { ListQuery } from '../api/query/list.ts';
import { pathOf } from '../api/query/text.ts';
import { base } from '../api/session/page-data.ts';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/small.tsx';
import { t } from '../i18n/text.ts';

export function NoRows({ query: { collection, filters, search } }: { readonly query: ListQuery }) {
  if (filters.length > 0 || search !== '')
    return (
      <EmptyState title={t.grid.noMatches} text={t.grid.noMatchesText}>
        <Button href={`/c${pathOf(collection)}`} kind="primary">
          {t.grid.clearFilters}
        </Button>
      </EmptyState>
    );
  return (
    <EmptyState title={t.grid.empty} text={t.grid.emptyText}>
      {may('create', collection) && (
        <div className="line wrap">
          <Button href={`/new${pathOf(collection)}`} kind="primary" icon="plus">
            {t.grid.newRow}
          </Button>
          <Button href={`/import${pathOf(collection)}`} icon="file-up">
            {t.importing.open}
          </Button>
          <a className="button" href={`${base}/docs`}>
            {t.app.apiReference}
          </a>
        </div>
      )}
    </EmptyState>
  );
}
