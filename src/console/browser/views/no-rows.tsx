/** The state of a list without rows, with a next step. */
import { may } from '../api/catalogue.ts';
import { pathOf } from '../api/query/filter-text.ts';
import type { ListQuery } from '../api/query/list.ts';
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
        <Button href={`/new${pathOf(collection)}`} kind="primary">
          {t.grid.newRow}
        </Button>
      )}
    </EmptyState>
  );
}
