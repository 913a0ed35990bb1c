/** Files and images of the service, and texts with the address of a picture. */
import { isImageField } from '../../../collection/image-field.ts';
import type { Value } from '../api/catalogue.ts';
import { base } from '../api/page-data.ts';
import { t } from '../i18n/text.ts';
import { ContainsFilter } from './filters.tsx';
import type { CellProps, FieldKind, FieldPlace, InputProps } from './kind.ts';
import { parsePlain } from './rules.ts';
import { TextInput } from './text.tsx';

const print = (_place: FieldPlace, value: Value): string => (value === null ? '' : String(value));

/** Whether the field is the address of a picture, not a file of the service. */
export const isPictureAddress = ({ field }: FieldPlace): boolean =>
  isImageField({ name: field.name, type: field.type.name });

/** The address of the file or picture. */
export function fileAddress(place: FieldPlace, text: string): string {
  return isPictureAddress(place) ? text : `${base}/files/${encodeURIComponent(text)}`;
}

export function FileCell({ collection, field, row }: CellProps) {
  const text = String(row[field.name] ?? '');
  if (text === '') return null;
  const place = { collection, field };
  if (field.type.file === 'any') return <a href={fileAddress(place, text)}>{t.fields.openFile}</a>;
  return (
    <img className="thumbnail" src={fileAddress(place, text)} alt="" loading="lazy" referrerPolicy="no-referrer" />
  );
}

function FileInput(props: InputProps) {
  return (
    <div className="file-input">
      <TextInput {...props} />
      {props.text !== '' && props.field.type.file !== 'any' && (
        <img src={fileAddress(props, props.text)} alt="" referrerPolicy="no-referrer" />
      )}
    </div>
  );
}

export const file: FieldKind = {
  name: 'file',
  format: print,
  print,
  parse: ({ field }, text) => parsePlain(field, text.trim()),
  Cell: FileCell,
  Input: FileInput,
  Filter: ContainsFilter,
};
