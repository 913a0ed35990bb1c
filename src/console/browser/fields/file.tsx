/** Files and images of the service, lists of them, and texts with the address of a picture. */
import { isImageField } from '../../../collection/image-field.ts';
import { fileKind } from '../../../collection/types/file.ts';
import type { Value } from '../api/catalogue.ts';
import { Icon } from '../components/icon.tsx';
import { Options } from '../components/inputs.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { joinIds, Picture, useFileAddress } from '../files/stored-files.tsx';
import { t } from '../i18n/text.ts';
import { ContainsFilter } from './filters.tsx';
import type { CellProps, FieldKind, FieldPlace, FilterProps, InputProps } from './kind.ts';
import { parseCell } from './parse.ts';
import { TextInput } from './text.tsx';

const UploadInput = onDemand(() => import('../files/file-input.tsx'));

/** Whether the field is the address of a picture, not a file of the service. */
export const isPictureAddress = ({ field }: Pick<FieldPlace, 'field'>): boolean =>
  isImageField({ name: field.name, type: field.type.name });

/** The ids of the files in a value. */
export function fileIds(value: Value | undefined): readonly string[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

const print = (_place: FieldPlace, value: Value): string => joinIds(fileIds(value));

function format(place: FieldPlace, value: Value): string {
  const { length } = fileIds(value);
  if (isPictureAddress(place)) return String(value ?? '');
  return length === 0 ? '' : t.files.count(length);
}

const THUMBNAIL = 64;

export function FileCell({ field, row }: CellProps) {
  const ids = fileIds(row[field.name]);
  if (isPictureAddress({ field }))
    return ids.map((address) => (
      <img key={address} className="thumbnail" src={address} alt="" loading="lazy" referrerPolicy="no-referrer" />
    ));
  if (fileKind(field.type) === 'image')
    return ids.map((id) => <Picture key={id} id={id} size={THUMBNAIL} alt="" className="thumbnail" />);
  return ids.map((id) => <FileLink key={id} id={id} />);
}

function FileLink({ id }: { readonly id: string }) {
  return (
    <a href={useFileAddress(id)} target="_blank" rel="noreferrer" aria-label={t.fields.openFile} tabIndex={-1}>
      <Icon name="file-text" />
    </a>
  );
}

function FileInput(props: InputProps) {
  if (!isPictureAddress(props)) return <UploadInput {...props} />;
  return (
    <div className="file-input stack">
      <TextInput {...props} />
      {props.text !== '' && <img className="preview" src={props.text} alt="" referrerPolicy="no-referrer" />}
    </div>
  );
}

function FileFilter(props: FilterProps) {
  const { id, conditions, onChange } = props;
  if (isPictureAddress(props)) return <ContainsFilter {...props} />;
  return (
    <select id={id} value={conditions[0] ?? ''} onChange={({ target }) => onChange(target.value ? [target.value] : [])}>
      <Options of={{ '': t.fields.any, 'not.is.null': t.fields.isNotEmpty, 'is.null': t.fields.isEmpty }} />
    </select>
  );
}

export const file: FieldKind = {
  name: 'file',
  format,
  print,
  parse: (place, text) => parseCell(place, text.trim()),
  Cell: FileCell,
  Input: FileInput,
  Filter: FileFilter,
};
