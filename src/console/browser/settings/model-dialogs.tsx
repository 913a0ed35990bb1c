/** The forms of a field and of a new collection. Each leads to the preview of its change. */
import { type ReactNode, useId, useState } from 'react';
import type { CollectionDraft, FieldDraft } from '../../../collection/draft.ts';
import { isInternal } from '../../../collection/files.ts';
import { Dialog } from '../components/dialog.tsx';
import { Select, TextField } from '../components/inputs.tsx';
import { Labelled } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import type { Patch } from './api.ts';
import { fieldPatch, formOf, PROPERTIES, type Property, TYPES } from './field-patch.ts';
import { PreviewDialog } from './preview-dialog.tsx';

export interface ModelFormProps {
  readonly title: string;
  readonly name: string;
  /** Absent if the name cannot change. */
  readonly onName?: (name: string) => void;
  /** The names in use. A patch of one of them would change it. */
  readonly taken: readonly string[];
  /** The change that the form means. */
  readonly patchOf: (name: string) => Patch;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function ModelForm({ title, name, onName, taken, patchOf, onClose, children }: ModelFormProps) {
  const [patch, setPatch] = useState<Patch>();
  const [isTried, setTried] = useState(false);
  const isTaken = onName !== undefined && taken.includes(name.trim());
  const problem = name.trim() === '' ? t.settings.nameMissing : isTaken ? t.settings.nameTaken(name.trim()) : undefined;
  const onSubmit = () => {
    setTried(true);
    if (problem === undefined) setPatch(patchOf(name.trim()));
  };
  return (
    <>
      <Dialog title={title} onClose={onClose} submit={{ label: t.settings.preview, onSubmit }}>
        {onName !== undefined && (
          <TextField
            label={t.settings.name}
            required
            help={t.settings.nameHelp}
            problem={isTried ? problem : undefined}
            value={name}
            onChange={onName}
          />
        )}
        {children}
      </Dialog>
      {patch !== undefined && <PreviewDialog patch={patch} onClose={() => setPatch(undefined)} />}
    </>
  );
}

interface FieldDialogProps {
  readonly collection: CollectionDraft;
  readonly collections: readonly string[];
  /** Absent for a new one. */
  readonly field?: FieldDraft;
  readonly onClose: () => void;
}

export function FieldDialog({ collection, collections, field, onClose }: FieldDialogProps) {
  const id = useId();
  const before = formOf(field);
  const [name, setName] = useState(field?.name ?? '');
  const [type, setType] = useState(field?.type ?? TYPES[0]!);
  const [form, setForm] = useState(before);
  const patchOf = (chosen: string) => ({
    collections: { [collection.name]: { fields: { [chosen]: fieldPatch(type, form, before) } } },
  });
  const input = (property: Property): ReactNode => {
    const value = form[property];
    const label = t.settings.properties[property];
    const onChange = (next: string) => setForm({ ...form, [property]: next });
    if (property === 'required' || property === 'unique') {
      const at = `${id}-${property}`;
      return (
        <Labelled key={property} id={at} label={label}>
          <input
            id={at}
            type="checkbox"
            checked={value !== ''}
            onChange={({ target }) => onChange(target.checked ? 'true' : '')}
          />
        </Labelled>
      );
    }
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
          : t.settings.changeField(`${collection.name}.${field.name}`)
      }
      name={name}
      {...(field === undefined && { onName: setName })}
      taken={collection.fields.map((each) => each.name)}
      patchOf={patchOf}
      onClose={onClose}
    >
      <TextField
        label={t.settings.type}
        help={field === undefined ? undefined : t.settings.typeStays}
        suggestions={TYPES}
        disabled={field !== undefined}
        value={type}
        onChange={setType}
      />
      {PROPERTIES.map(input)}
    </ModelForm>
  );
}

export function CollectionDialog({ taken, onClose }: Pick<ModelFormProps, 'taken' | 'onClose'>) {
  const [name, setName] = useState('');
  const [title, setTitle] = useState('');
  const [titleField, setTitleField] = useState('name');
  const patchOf = (chosen: string) => {
    const named = titleField.trim() !== '' && { [titleField.trim()]: { type: 'text', required: true, role: 'title' } };
    const titled = title.trim() !== '' && { title: title.trim() };
    return { collections: { [chosen]: { ...titled, fields: { id: 'int4', ...named } } } };
  };
  return (
    <ModelForm
      title={t.settings.addCollection}
      name={name}
      onName={setName}
      taken={taken}
      patchOf={patchOf}
      onClose={onClose}
    >
      <TextField label={t.settings.properties.title} value={title} onChange={setTitle} />
      <TextField label={t.settings.titleField} value={titleField} onChange={setTitleField} />
    </ModelForm>
  );
}
