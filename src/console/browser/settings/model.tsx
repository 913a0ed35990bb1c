/** The data model: collections and fields, with forms that change the declaration. */
import type { CollectionDraft, FieldDraft } from '../../../collection/draft.ts';
import { isInternal } from '../../../collection/files.ts';
import { titleOfCollection } from '../api/catalogue.ts';
import { pageData } from '../api/session/page-data.ts';
import { Button } from '../components/button.tsx';
import { showDialog } from '../components/dialog.tsx';
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

/** Without a collection or a field, the form makes a new one. */
const editCollection = (collection?: CollectionDraft) =>
  showDialog(<CollectionDialog collection={collection} comments={commentsOn(collection?.name)} taken={NAMES} />);
const editField = (collection: CollectionDraft, field?: FieldDraft) =>
  showDialog(<FieldDialog collections={NAMES} collection={collection} field={field} />);

export function Model() {
  const { data, error, refetch } = useDeclaration();
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  const { file, editable, served } = data;
  return (
    <>
      <p className="help">{editable ? t.settings.editable(file) : t.settings.notEditable(file)}</p>
      {!served && <p className="problem">{t.settings.stale(file)}</p>}
      <div>
        <Button kind="primary" icon="plus" onClick={() => editCollection()}>
          {t.settings.addCollection}
        </Button>
      </div>
      {COLLECTIONS.map((collection) => (
        <section key={collection.name} className="panel stack settings-part">
          <div className="line wrap">
            <h2>{titleOfCollection(collection)}</h2>
            <code>{collection.name}</code>
            <span className="space" />
            <Button onClick={() => editCollection(collection)}>
              {t.app.change}
              <span className="visually-hidden"> {titleOfCollection(collection)}</span>
            </Button>
            <Button icon="plus" onClick={() => editField(collection)}>
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
                : [{ label: t.app.change, onClick: () => editField(collection, field) }]
            }
          />
          <DeclaredText path={['collections', collection.name]} />
        </section>
      ))}
      {OTHER_PARTS.map((part) => (
        <DeclaredText key={part} path={[part]} />
      ))}
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
