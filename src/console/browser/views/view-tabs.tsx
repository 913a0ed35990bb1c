/** The stored views of a collection as tabs, and the layout of the list. */
import { useEffect } from 'react';
import { Link } from 'wouter';
import { goTo, setOwn } from '../api/address.ts';
import { type Field, labelOf, languagesOf } from '../api/catalogue.ts';
import { GROUP, groupFields, groupOf, type ListQuery, viewId } from '../api/query/list.ts';
import { pathOf } from '../api/query/text.ts';
import { hasIdentity, personOf } from '../api/session/session.ts';
import { isSame } from '../base/same.ts';
import { Button } from '../components/button.tsx';
import { Dialog, showDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { Check, TextField, useForm } from '../components/inputs.tsx';
import { choiceItems, Menu } from '../components/menu.tsx';
import { notifyError } from '../components/toasts.tsx';
import { Toolbar } from '../components/toolbar.tsx';
import { inSentence, languageName } from '../i18n/locale.ts';
import { t } from '../i18n/text.ts';
import { setColumnSettings, showViewColumns, useColumnSettings } from './columns.ts';
import { boardFields, type Layout, pictureFieldOf, showLayout, treeFields, useLayout } from './layouts.ts';
import { isOwn, removeView, saveView, useViews, type View, viewAddress, viewQuery } from './views.ts';

const MAX_NAME = 80;
const ICONS = { table: 'table', cards: 'layout-grid', board: 'square-kanban', tree: 'list-tree' } as const;

export function ViewTabs({ query }: { readonly query: ListQuery }) {
  const { collection } = query;
  const views = useViews(collection);
  const columns = useColumnSettings(query);
  const current = views.find(({ id }) => id === viewId(query));
  const isChanged =
    current !== undefined &&
    (current.definition.query !== viewQuery(query) || !isSame(current.definition.columns, columns));
  useEffect(() => {
    if (current !== undefined) showViewColumns(collection, current.id, current.definition.columns);
  }, [collection, current]);
  const save = (view: View) => void saveView(query, view).catch(notifyError);
  const remove = (view: View) =>
    void removeView(collection, view).then(() => goTo(`/c${pathOf(collection)}`), notifyError);
  const actionsOf = (view: View) => {
    const label = view.shared ? t.views.unshare : t.views.share;
    const share = { label, onChoose: () => save({ ...view, shared: !view.shared }) };
    return [
      view.owner !== undefined && hasIdentity() && share,
      { label: t.views.remove, onChoose: () => remove(view) },
    ];
  };
  return (
    <Toolbar aria-label={t.views.label} className="view-bar line">
      <nav className="view-tabs" aria-label={t.views.label}>
        <Link href={`/c${pathOf(collection)}`} aria-current={viewId(query) === undefined ? 'page' : undefined}>
          {t.views.all}
        </Link>
        {views.map((view) => (
          <Link
            key={view.id}
            href={viewAddress(collection, view)}
            aria-current={view === current ? 'page' : undefined}
            title={isOwn(view) || view.owner == null ? undefined : t.views.sharedBy(personOf(view.owner))}
            onClick={() => showViewColumns(collection, view.id, view.definition.columns, true)}
          >
            {view.name}
            {view.shared && <Icon name="users" size={14} label={t.views.shared} />}
          </Link>
        ))}
      </nav>
      {isChanged && isOwn(current) && <Button onClick={() => save(current)}>{t.views.update}</Button>}
      {current !== undefined && isOwn(current) && (
        <Menu icon="ellipsis-vertical" label={t.views.actions(current.name)} groups={[{ items: actionsOf(current) }]} />
      )}
      <Button kind="quiet" icon="bookmark" onClick={() => showDialog(<SaveDialog query={query} />)}>
        {t.views.save}
      </Button>
      <span className="space" />
      <LanguageMenu query={query} />
      <GroupMenu query={query} />
      <LayoutMenu query={query} />
    </Toolbar>
  );
}

function GroupMenu({ query }: { readonly query: ListQuery }) {
  const fields = groupFields(query.collection);
  if (useLayout(query).kind !== 'table' || fields.length === 0) return null;
  const group = groupOf(query);
  const nameOf = (field: Field | undefined) => (field === undefined ? t.views.noGroups : labelOf(field));
  const choose = (field?: Field) => setOwn(query.collection, GROUP, field?.name);
  const items = choiceItems([undefined, ...fields], group, nameOf, choose);
  const label = t.views.groupBy(nameOf(group));
  return <Menu icon="rows-3" label={label} text={label} className="button quiet" groups={[{ items }]} />;
}

/** The language of a list whose fields have translations. */
function LanguageMenu({ query }: { readonly query: ListQuery }) {
  const settings = useColumnSettings(query);
  const languages = languagesOf(query.collection);
  if (languages.length === 0) return null;
  const nameOf = (each: string | undefined) => (each === undefined ? t.views.allLanguages : languageName(each));
  const { language, ...others } = settings;
  const choose = (each?: string) =>
    setColumnSettings(query, each === undefined ? others : { ...others, language: each });
  const items = choiceItems([undefined, ...languages], language, nameOf, choose);
  const label = t.views.language(nameOf(language));
  return <Menu icon="languages" label={label} text={nameOf(language)} className="button quiet" groups={[{ items }]} />;
}

function LayoutMenu({ query }: { readonly query: ListQuery }) {
  const layout = useLayout(query);
  const hasPictures = pictureFieldOf(query.collection) !== undefined;
  const layouts: readonly Layout[] = [
    { kind: 'table' },
    { kind: 'cards' },
    ...boardFields(query.collection).map((field) => ({ kind: 'board' as const, field })),
    ...treeFields(query.collection).map((field) => ({ kind: 'tree' as const, field })),
  ];
  const nameOf = (each: Layout) => {
    if (each.kind === 'board') return t.views.boardBy(inSentence(labelOf(each.field)));
    if (each.kind === 'tree') return t.views.treeBy(inSentence(labelOf(each.field)));
    return each.kind === 'cards' && hasPictures ? t.views.gallery : t.views[each.kind];
  };
  const name = nameOf(layout);
  const current = layouts.find((each) => nameOf(each) === name) ?? layout;
  const items = choiceItems(layouts, current, nameOf, (each) => showLayout(query, each));
  const label = t.views.layout(name);
  return <Menu icon={ICONS[layout.kind]} label={label} text={name} className="button quiet" groups={[{ items }]} />;
}

function SaveDialog({ query }: { readonly query: ListQuery }) {
  const { values, input, check } = useForm({ name: '', shared: false });
  const name = values.name.trim();
  const onSubmit = async () => goTo(viewAddress(query.collection, await saveView(query, { ...values, name })));
  const submit = { label: t.app.save, onSubmit, isBusy: name === '' };
  return (
    <Dialog title={t.views.save} submit={submit}>
      <p>{t.views.saveText}</p>
      <TextField {...input('name')} autoFocus label={t.views.name} maxLength={MAX_NAME} />
      {hasIdentity() && <Check {...check('shared')}>{t.views.share}</Check>}
    </Dialog>
  );
}
