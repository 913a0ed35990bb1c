/** The data model: collections and fields, with forms that change the declaration. */
import { useState } from 'react';
import type { CollectionDraft, FieldDraft } from '../../../collection/draft.ts';
import { isInternal } from '../../../collection/files.ts';
import { titleOfCollection } from '../api/catalogue.ts';
import { pageData } from '../api/session/page-data.ts';
import { Button } from '../components/button.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { useDeclaration } from './api.ts';
import { DeclaredText } from './declared-text.tsx';
import { formOf, PROPERTIES, type Property } from './field-patch.ts';
import { CollectionDialog, FieldDialog } from './model-dialogs.tsx';
import { SettingsTable } from './settings-table.tsx';

const ALL = pageData.collections.filter(({ name }) => !isInternal(name));
const NAMES = ALL.map(({ name }) => name);
/** Comments are declared with the collection of the rows. */
const COLLECTIONS = ALL.filter(({ commentsOn }) => commentsOn === undefined);
const commentsOn = (name: string | undefined) =>
  ALL.find((each) => name !== undefined && each.commentsOn === name)?.name;

/** The parts of a declaration that no page shows. */
const OTHER_PARTS = ['language', 'queries', 'actions', 'functions'];

/** The form that is open. Without a collection or a field, it makes a new one. */
interface Opened {
  readonly kind: 'collection' | 'field';
  readonly collection?: CollectionDraft;
  readonly field?: FieldDraft;
}

export function Model() {
  const { data, error, refetch } = useDeclaration();
  const [opened, setOpened] = useState<Opened>();
  const onClose = () => setOpened(undefined);
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  const { file, editable, served } = data;
  return (
    <>
      <p className="help">{editable ? t.settings.editable(file) : t.settings.notEditable(file)}</p>
      {!served && <p className="problem">{t.settings.stale(file)}</p>}
      <div>
        <Button kind="primary" icon="plus" onClick={() => setOpened({ kind: 'collection' })}>
          {t.settings.addCollection}
        </Button>
      </div>
      {COLLECTIONS.map((collection) => (
        <section key={collection.name} className="panel stack settings-part">
          <div className="line wrap">
            <h2>{titleOfCollection(collection)}</h2>
            <code>{collection.name}</code>
            <span className="space" />
            <Button onClick={() => setOpened({ kind: 'collection', collection })}>
              {t.app.change}
              <span className="visually-hidden"> {titleOfCollection(collection)}</span>
            </Button>
            <Button icon="plus" onClick={() => setOpened({ kind: 'field', collection })}>
              {t.settings.addField}
              <span className="visually-hidden"> {titleOfCollection(collection)}</span>
            </Button>
          </div>
          <SettingsTable
            heads={[t.app.field, t.settings.type, t.settings.rules]}
            rows={collection.fields}
            cellsOf={(field) => [field.type, describe(collection, field)]}
            // A translation is declared with the field that it translates.
            actionsOf={(field) =>
              field.translates !== undefined
                ? []
                : [{ label: t.app.change, onClick: () => setOpened({ kind: 'field', collection, field }) }]
            }
          />
          <DeclaredText path={['collections', collection.name]} />
        </section>
      ))}
      {OTHER_PARTS.map((part) => (
        <DeclaredText key={part} path={[part]} />
      ))}
      {opened?.kind === 'collection' && (
        <CollectionDialog
          collection={opened.collection}
          comments={commentsOn(opened.collection?.name)}
          taken={NAMES}
          onClose={onClose}
        />
      )}
      {opened?.kind === 'field' && opened.collection !== undefined && (
        <FieldDialog
          collections={NAMES}
          collection={opened.collection}
          {...(opened.field && { field: opened.field })}
          onClose={onClose}
        />
      )}
    </>
  );
}

/** The properties of a field in one line. */
function describe(collection: CollectionDraft, field: FieldDraft): string {
  const form = formOf(field, collection);
  const isShown = (name: Property) => form[name] !== '' && name !== 'computed' && form[name] !== 'restrict';
  const properties = PROPERTIES.filter(isShown).map((name) => {
    const label = t.settings.properties[name];
    return form[name] === 'true' ? label : `${label}: ${form[name]}`;
  });
  return [...(field.computed === undefined ? [] : [`= ${field.computed}`]), ...properties].join(' · ');
}
