/** The views of a list. A collection with pictures has a gallery. */
import type { ListQuery } from '../api/list.ts';
import { Button } from '../components/button.tsx';
import { t } from '../i18n/text.ts';
import { chooseLayout, LAYOUTS, pictureFieldOf, useLayout } from './layout.ts';

export function ViewTabs({ query: { collection } }: { readonly query: ListQuery }) {
  const layout = useLayout(collection);
  if (pictureFieldOf(collection) === undefined) return null;
  return (
    <div className="layouts" role="group" aria-label={t.views.layout}>
      {LAYOUTS.map((each) => (
        <Button key={each} kind="quiet" aria-pressed={each === layout} onClick={() => chooseLayout(collection, each)}>
          {t.views.layouts[each]}
        </Button>
      ))}
    </div>
  );
}
