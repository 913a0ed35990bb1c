/** The page of an address that has none. */

import { t } from '../i18n/text.ts';
import { LinkButton } from './button.tsx';
import { EmptyState } from './small.tsx';

export function NotFound() {
  return (
    <EmptyState title={t.app.notFound} text={t.app.notFoundText}>
      <LinkButton href="/" kind="primary">
        {t.app.toOverview}
      </LinkButton>
    </EmptyState>
  );
}
