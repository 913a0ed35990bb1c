/** The forms of a field and of a new collection. Each leads to the preview of its change. */
import { type ReactNode, useState } from 'react';
import type { CollectionDraft, FieldDraft } from '../../../collection/draft.ts';
import { isInternal } from '../../../collection/files.ts';
import { Check, Select, TextField } from '../components/inputs.tsx';
import { Problem } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { expressionProblem, fieldPatch, formOf, PROPERTIES, type Property, TYPES } from './field-patch.ts';
import { ModelForm, type ModelFormProps } from './model-form.tsx';

interface FieldDialogProps {
  readonly collection: CollectionDraft;
  readonly collections: readonly string[];
  /** Absent for a new one. */
  readonly field?: FieldDraft | undefined;
}

export function FieldDialog({ collection, collections, field }: FieldDialogProps) {
  const before = formOf(field, collection);
  const [type, setType] = useState(field?.type ?? TYPES[0]!);
  const [form, setForm] = useState(before);
  const patchOf = (chosen: string) => {
    const isRenamed = field !== undefined && chosen !== field.name;
    const patch = { ...fieldPatch(type, form, before), ...(isRenamed && { was: field.name }) };
    const fields = { ...(isRenamed && { [field.name]: null }), [chosen]: patch };
    return { collections: { [collection.name]: { fields } } };
  };
  const input = (property: Property, problemAt: (member: string) => string | undefined): ReactNode => {
    const value = form[property];
    const label = t.settings.properties[property];
    const onChange = (next: string) => setForm({ ...form, [property]: next });
    // The reference of a file belongs to its type.
    if (isInternal(form.references) && (property === 'references' || property === 'onDelete')) return null;
    if (property === 'onDelete' && form.references === '') return null;
    const mistake = problemAt(property === 'onDelete' ? 'references.onDelete' : property);
    if (property === 'required' || property === 'unique')
      return (
        <div key={property}>
          <Check checked={value !== ''} onChange={(isOn) => onChange(isOn ? 'true' : '')}>
            {label}
          </Check>
          {mistake !== undefined && <Problem>{mistake}</Problem>}
        </div>
      );
    const common = { label, value, onChange };
    if (property === 'references') {
      const problem = mistake ?? problemAt('references.collection');
      return (
        <Select key={property} {...common} problem={problem} options={collections} empty={t.settings.noReference} />
      );
    }
    if (property === 'onDelete')
      return <Select key={property} {...common} problem={mistake} options={t.settings.onDelete} />;
    const problem = property === 'computed' ? expressionProblem(type, value, collection.fields) : undefined;
    const help = (t.settings.propertyHelp as Partial<Record<Property, string>>)[property];
    return <TextField key={property} {...common} problem={problem ?? mistake} help={help} />;
  };
  return (
    <ModelForm
      title={
        field === undefined
          ? `${t.settings.addField}: ${collection.name}`
          : t.settings.change(`${collection.name}.${field.name}`)
      }
      {...(field !== undefined && { name: field.name, mayRename: true })}
      taken={collection.fields.map((each) => each.name)}
      path={`collections.${collection.name}.fields`}
      patchOf={patchOf}
    >
      {(problemAt) => (
        <>
          <TextField
            label={t.settings.type}
            suggestions={TYPES}
            problem={problemAt('type')}
            value={type}
            onChange={setType}
          />
          {PROPERTIES.map((each) => input(each, problemAt))}
        </>
      )}
    </ModelForm>
  );
}

interface CollectionDialogProps extends Pick<ModelFormProps, 'taken'> {
  /** Absent for a new one. */
  readonly collection?: CollectionDraft | undefined;
  /** The name of the collection of its comments, if it has one. */
  readonly comments?: string | undefined;
}

export function CollectionDialog({ collection, comments: stored = '', taken }: CollectionDialogProps) {
  const [title, setTitle] = useState(collection?.title ?? '');
  const [comments, setComments] = useState(stored);
  const [titleField, setTitleField] = useState('name');
  const patchOf = (chosen: string) => {
    const named = titleField.trim() !== '' && { [titleField.trim()]: { type: 'text', required: true, role: 'title' } };
    const fields = collection === undefined && { fields: { id: 'int4', ...named } };
    const patch = { title: title.trim() || null, comments: comments.trim() || null, ...fields };
    return { collections: { [chosen]: patch } };
  };
  return (
    <ModelForm
      title={collection === undefined ? t.settings.addCollection : t.settings.change(collection.name)}
      {...(collection !== undefined && { name: collection.name })}
      taken={taken}
      path="collections"
      patchOf={patchOf}
    >
      {(problemAt) => (
        <>
          <TextField label={t.settings.properties.title} value={title} onChange={setTitle} />
          {collection === undefined && (
            <TextField
              label={t.settings.titleField}
              problem={problemAt(`fields.${titleField.trim()}`)}
              value={titleField}
              onChange={setTitleField}
            />
          )}
          <TextField
            label={t.record.comments}
            help={t.settings.commentsHelp}
            problem={problemAt('comments')}
            value={comments}
            onChange={setComments}
          />
        </>
      )}
    </ModelForm>
  );
}
