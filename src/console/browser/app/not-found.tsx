/** The page of an address that has none. */
import { Link } from 'wouter';
import { EmptyState } from '../components/small.tsx';
import { t } from '../i18n/text.ts';

export function NotFound() {
  return (
    <EmptyState title={t.app.notFound} text={t.app.notFoundText}>
      <Link href="/" className="button primary">
        {t.app.toOverview}
      </Link>
    </EmptyState>
  );
}
