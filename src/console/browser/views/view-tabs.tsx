/** The stored views of a collection as tabs, and the layout of the list. */
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { labelOf } from '../api/catalogue.ts';
import { type ListQuery, listAddress } from '../api/query/list.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/inputs.tsx';
import { Menu } from '../components/menu.tsx';
import { setColumnSettings, useColumnSettings } from '../grid/columns/columns.ts';
import { t } from '../i18n/text.ts';
import { boardFields, type Layout, pictureFieldOf, useLayout, withLayout } from './layouts.ts';
import { removeView, saveView, useViews, viewAddress, viewName, viewQuery } from './views.ts';

const MAX_NAME = 80;
const ICONS = { table: 'table', cards: 'layout-grid', board: 'square-kanban' } as const;

export function ViewTabs({ query }: { readonly query: ListQuery }) {
  const { collection } = query;
  const [, navigate] = useLocation();
  const [isSaving, setSaving] = useState(false);
  const views = useViews(collection);
  const columns = useColumnSettings(collection);
  const current = views.find(({ name }) => name === viewName(query));
  const isChanged =
    current !== undefined &&
    (current.query !== viewQuery(query) || JSON.stringify(current.columns) !== JSON.stringify(columns));
  const remove = (name: string) => {
    removeView(collection, name);
    navigate(`/c/${collection.name}`);
  };
  return (
    <div className="view-bar line">
      <nav className="view-tabs" aria-label={t.views.label}>
        <Link href={`/c/${collection.name}`} aria-current={viewName(query) === undefined ? 'page' : undefined}>
          {t.views.all}
        </Link>
        {views.map((view) => (
          <Link
            key={view.name}
            href={viewAddress(collection, view)}
            aria-current={view === current ? 'page' : undefined}
            onClick={() => setColumnSettings(collection, view.columns)}
          >
            {view.name}
          </Link>
        ))}
      </nav>
      {isChanged && <Button onClick={() => saveView(query, current.name)}>{t.views.update}</Button>}
      {current !== undefined && (
        <Menu
          icon="ellipsis-vertical"
          label={t.views.actions(current.name)}
          groups={[{ items: [{ label: t.views.remove, onChoose: () => remove(current.name) }] }]}
        />
      )}
      <Button kind="quiet" icon="bookmark" onClick={() => setSaving(true)}>
        {t.views.save}
      </Button>
      <span className="space" />
      <LayoutMenu query={query} />
      {isSaving && <SaveDialog query={query} onClose={() => setSaving(false)} />}
    </div>
  );
}

function LayoutMenu({ query }: { readonly query: ListQuery }) {
  const [, navigate] = useLocation();
  const layout = useLayout(query);
  const hasPictures = pictureFieldOf(query.collection) !== undefined;
  const layouts: readonly Layout[] = [
    { kind: 'table' },
    { kind: 'cards' },
    ...boardFields(query.collection).map((field) => ({ kind: 'board' as const, field })),
  ];
  const nameOf = (each: Layout) => {
    if (each.kind === 'board') return t.views.boardBy(labelOf(each.field));
    return each.kind === 'cards' && hasPictures ? t.views.gallery : t.views[each.kind];
  };
  const items = layouts.map((each) => ({
    label: nameOf(each),
    isChecked: nameOf(each) === nameOf(layout),
    onChoose: () => navigate(listAddress(withLayout(query, each))),
  }));
  return (
    <Menu
      icon={ICONS[layout.kind]}
      label={t.views.layout(nameOf(layout))}
      className="button quiet"
      groups={[{ items }]}
    >
      {nameOf(layout)}
    </Menu>
  );
}

function SaveDialog({ query, onClose }: { readonly query: ListQuery; readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const onSubmit = () => {
    if (name.trim() === '') return;
    navigate(viewAddress(query.collection, saveView(query, name.trim())));
    onClose();
  };
  return (
    <Dialog title={t.views.save} onClose={onClose} submit={{ label: t.app.save, onSubmit, isBusy: name.trim() === '' }}>
      <p>{t.views.saveText}</p>
      <TextField autoFocus label={t.views.name} maxLength={MAX_NAME} value={name} onChange={setName} />
    </Dialog>
  );
}
