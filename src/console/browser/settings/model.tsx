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
import { formOf, PROPERTIES } from './field-patch.ts';
import { CollectionDialog, FieldDialog } from './model-dialogs.tsx';

const COLLECTIONS = pageData.collections.filter(({ name }) => !isInternal(name));

type Opened = 'collection' | { readonly collection: CollectionDraft; readonly field?: FieldDraft };

export function Model() {
  const { data, error, refetch } = useDeclaration();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  const { file, editable, served } = data;
  return (
    <>
      <p className="help">{editable ? t.settings.editable(file) : t.settings.notEditable(file)}</p>
      {!served && <p className="problem">{t.settings.stale(file)}</p>}
      <div>
        <Button kind="primary" icon="plus" onClick={() => setOpened('collection')}>
          {t.settings.addCollection}
        </Button>
      </div>
      {COLLECTIONS.map((collection) => (
        <Fields key={collection.name} collection={collection} onOpen={(field) => setOpened({ collection, ...field })} />
      ))}
      {opened === 'collection' && <CollectionDialog onClose={close} />}
      {typeof opened === 'object' && (
        <FieldDialog collections={COLLECTIONS.map(({ name }) => name)} {...opened} onClose={close} />
      )}
    </>
  );
}

interface FieldsProps {
  readonly collection: CollectionDraft;
  readonly onOpen: (field: { readonly field?: FieldDraft }) => void;
}

function Fields({ collection, onOpen }: FieldsProps) {
  const title = titleOfCollection(collection);
  return (
    <section className="panel stack settings-part">
      <div className="line wrap">
        <h2>{title}</h2>
        <code>{collection.name}</code>
        <span className="space" />
        <Button icon="plus" onClick={() => onOpen({})}>
          {t.settings.addField}
          <span className="visually-hidden"> {title}</span>
        </Button>
      </div>
      <table>
        <thead>
          <tr>
            <th>{t.settings.field}</th>
            <th>{t.settings.type}</th>
            <th>{t.settings.rules}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {collection.fields.map((field) => (
            <tr key={field.name}>
              <th scope="row">{field.name}</th>
              <td>{field.type}</td>
              <td>{describe(field)}</td>
              <td>
                <Button onClick={() => onOpen({ field })}>
                  {t.app.change}
                  <span className="visually-hidden">
                    {' '}
                    {collection.name}.{field.name}
                  </span>
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The properties of a field in one line. */
function describe(field: FieldDraft): string {
  const form = formOf(field);
  return PROPERTIES.filter((name) => form[name] !== '')
    .map((name) =>
      form[name] === 'true' ? t.settings.properties[name] : `${t.settings.properties[name]}: ${form[name]}`,
    )
    .join(' · ');
}
