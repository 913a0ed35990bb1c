/** The data model: collections and fields, with forms that change the declaration. */
import type { CollectionDraft, FieldDraft } from '../../../collection/draft.ts';
import { isInternal } from '../../../collection/files.ts';
import { titleOfCollection } from '../api/catalogue.ts';
import { pageData } from '../api/session/page-data.ts';
import { showDialog } from '../components/dialog.tsx';
import { Loaded } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { useDeclaration } from './api.ts';
import { DeclaredText } from './declared-text.tsx';
import { formOf, PROPERTIES, type Property } from './field-patch.ts';
import { CollectionDialog, FieldDialog } from './model-dialogs.tsx';
import { previewChange } from './preview-dialog.tsx';
import { AddButton, SettingsPart, SettingsTable } from './settings-parts.tsx';

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

/** A collection that is removed takes the collection of its comments along. */
const remove = ({ name }: CollectionDraft, field?: FieldDraft) =>
  previewChange({ collections: { [name]: field === undefined ? null : { fields: { [field.name]: null } } } });

export function Model() {
  return (
    <Loaded query={useDeclaration()}>
      {({ file, editable, served }) => (
        <>
          <p className="help">{editable ? t.settings.editable(file) : t.settings.notEditable(file)}</p>
          {!served && <p className="problem">{t.settings.stale(file)}</p>}
          <AddButton label={t.settings.addCollection} onClick={() => editCollection()} />
          {COLLECTIONS.map((collection) => (
            <SettingsPart
              key={collection.name}
              title={titleOfCollection(collection)}
              about={<code>{collection.name}</code>}
              actions={[
                { label: t.app.change, onClick: () => editCollection(collection) },
                { label: t.settings.addField, onClick: () => editField(collection) },
                { label: t.settings.remove.users, onClick: () => remove(collection) },
              ]}
            >
              <SettingsTable
                heads={[t.app.field, t.settings.type, t.settings.rules]}
                rows={collection.fields}
                cellsOf={(field) => [field.type, describe(collection, field)]}
                actionsOf={(field) => [
                  // A translation is declared with the field that it translates.
                  field.translates === undefined && {
                    label: t.app.change,
                    onClick: () => editField(collection, field),
                  },
                  field.translates === undefined && {
                    label: t.settings.remove.users,
                    onClick: () => remove(collection, field),
                  },
                ]}
              />
              <DeclaredText path={['collections', collection.name]} />
            </SettingsPart>
          ))}
          {OTHER_PARTS.map((part) => (
            <DeclaredText key={part} path={[part]} />
          ))}
        </>
      )}
    </Loaded>
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
