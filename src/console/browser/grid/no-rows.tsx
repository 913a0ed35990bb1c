/** The state of a list without rows, with a next step. */
import { Link } from 'wouter';
import { may } from '../api/catalogue.ts';
import { pathOf } from '../api/query/filter-text.ts';
import type { ListQuery } from '../api/query/list.ts';
import { EmptyState } from '../components/small.tsx';
import { t } from '../i18n/text.ts';

export function NoRows({ query: { collection, filters, search } }: { readonly query: ListQuery }) {
  if (filters.length > 0 || search !== '')
    return (
      <EmptyState title={t.grid.noMatches} text={t.grid.noMatchesText}>
        <Link href={`/c${pathOf(collection)}`} className="button primary">
          {t.grid.clearFilters}
        </Link>
      </EmptyState>
    );
  return (
    <EmptyState title={t.grid.empty} text={t.grid.emptyText}>
      {may('create', collection) && (
        <Link href={`/new${pathOf(collection)}`} className="button primary">
          {t.grid.newRow}
        </Link>
      )}
    </EmptyState>
  );
}
