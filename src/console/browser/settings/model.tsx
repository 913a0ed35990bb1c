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
import { formOf, PROPERTIES } from './field-patch.ts';
import { CollectionDialog, FieldDialog } from './model-dialogs.tsx';
import { SettingsTable } from './settings-table.tsx';

const COLLECTIONS = pageData.collections.filter(({ name }) => !isInternal(name));
const NAMES = COLLECTIONS.map(({ name }) => name);

/** Without a collection, the form makes a new one. */
interface Opened {
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
        <Button kind="primary" icon="plus" onClick={() => setOpened({})}>
          {t.settings.addCollection}
        </Button>
      </div>
      {COLLECTIONS.map((collection) => (
        <section key={collection.name} className="panel stack settings-part">
          <div className="line wrap">
            <h2>{titleOfCollection(collection)}</h2>
            <code>{collection.name}</code>
            <span className="space" />
            <Button icon="plus" onClick={() => setOpened({ collection })}>
              {t.settings.addField}
              <span className="visually-hidden"> {titleOfCollection(collection)}</span>
            </Button>
          </div>
          <SettingsTable
            heads={[t.app.field, t.settings.type, t.settings.rules]}
            rows={collection.fields}
            cellsOf={(field) => [field.type, describe(field)]}
            // A translation is declared with the field that it translates.
            actionsOf={(field) =>
              field.translates !== undefined
                ? []
                : [{ label: t.app.change, onClick: () => setOpened({ collection, field }) }]
            }
          />
          <DeclaredText path={['collections', collection.name]} />
        </section>
      ))}
      {opened !== undefined && opened.collection === undefined && <CollectionDialog taken={NAMES} onClose={onClose} />}
      {opened?.collection !== undefined && (
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
function describe(field: FieldDraft): string {
  const form = formOf(field);
  const properties = PROPERTIES.filter((name) => form[name] !== '').map((name) => {
    const label = t.settings.properties[name];
    return form[name] === 'true' ? label : `${label}: ${form[name]}`;
  });
  return [...(field.computed === undefined ? [] : [`= ${field.computed}`]), ...properties].join(' · ');
}
