/** The heading of a page, which is also the title of the tab. */
import { useEffect } from 'react';
import { t } from '../i18n/text.ts';

export function PageTitle({ title }: { readonly title: string }) {
  useEffect(() => {
    document.title = `${title} · ${t.app.name}`;
  }, [title]);
  return <h1>{title}</h1>;
}
