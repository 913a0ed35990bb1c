/** The forms of a field and of a new collection. Each leads to the preview of its change. */
import { type ReactNode, useState } from 'react';
import type { CollectionDraft, FieldDraft } from '../../../collection/draft.ts';
import { isInternal } from '../../../collection/files.ts';
import { Check, Select, TextField } from '../components/inputs.tsx';
import { t } from '../i18n/text.ts';
import { fieldPatch, formOf, PROPERTIES, type Property, TYPES } from './field-patch.ts';
import { ModelForm, type ModelFormProps } from './model-form.tsx';

interface FieldDialogProps {
  readonly collection: CollectionDraft;
  readonly collections: readonly string[];
  /** Absent for a new one. */
  readonly field?: FieldDraft;
  readonly onClose: () => void;
}

export function FieldDialog({ collection, collections, field, onClose }: FieldDialogProps) {
  const before = formOf(field);
  const [type, setType] = useState(field?.type ?? TYPES[0]!);
  const [form, setForm] = useState(before);
  const patchOf = (chosen: string) => ({
    collections: { [collection.name]: { fields: { [chosen]: fieldPatch(type, form, before) } } },
  });
  const input = (property: Property): ReactNode => {
    const value = form[property];
    const label = t.settings.properties[property];
    const onChange = (next: string) => setForm({ ...form, [property]: next });
    if (property === 'required' || property === 'unique')
      return (
        <Check key={property} checked={value !== ''} onChange={(isOn) => onChange(isOn ? 'true' : '')}>
          {label}
        </Check>
      );
    const common = { label, value, onChange };
    if (property !== 'references')
      return <TextField key={property} {...common} help={property === 'oneOf' ? t.settings.listHelp : undefined} />;
    // The reference of a file belongs to its type.
    if (isInternal(value)) return null;
    return <Select key={property} {...common} options={collections} empty={t.settings.noReference} />;
  };
  return (
    <ModelForm
      title={
        field === undefined
          ? `${t.settings.addField}: ${collection.name}`
          : t.settings.change(`${collection.name}.${field.name}`)
      }
      {...(field !== undefined && { name: field.name })}
      taken={collection.fields.map((each) => each.name)}
      patchOf={patchOf}
      onClose={onClose}
    >
      <TextField label={t.settings.type} suggestions={TYPES} value={type} onChange={setType} />
      {PROPERTIES.map(input)}
    </ModelForm>
  );
}

export function CollectionDialog({ taken, onClose }: Pick<ModelFormProps, 'taken' | 'onClose'>) {
  const [title, setTitle] = useState('');
  const [titleField, setTitleField] = useState('name');
  const patchOf = (chosen: string) => {
    const named = titleField.trim() !== '' && { [titleField.trim()]: { type: 'text', required: true, role: 'title' } };
    const titled = title.trim() !== '' && { title: title.trim() };
    return { collections: { [chosen]: { ...titled, fields: { id: 'int4', ...named } } } };
  };
  return (
    <ModelForm title={t.settings.addCollection} taken={taken} patchOf={patchOf} onClose={onClose}>
      <TextField label={t.settings.properties.title} value={title} onChange={setTitle} />
      <TextField label={t.settings.titleField} value={titleField} onChange={setTitleField} />
    </ModelForm>
  );
}
