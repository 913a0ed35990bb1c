/** The page of an address that has none. */

import { LinkButton } from '../components/button.tsx';
import { EmptyState } from '../components/small.tsx';
import { t } from '../i18n/text.ts';

export function NotFound() {
  return (
    <EmptyState title={t.app.notFound} text={t.app.notFoundText}>
      <LinkButton href="/" kind="primary">
        {t.app.toOverview}
      </LinkButton>
    </EmptyState>
  );
}
