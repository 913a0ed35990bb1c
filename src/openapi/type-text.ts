/** Parts of the text of TypeScript types. */
import type { Collection } from '../collection/declaration.ts';
import type { Type } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';

/** The type of an object without members. */
export const NOTHING = 'Record<never, never>';

/** The enums of the database, by the names of their types: fields have their labels. */
export type EnumTypes = ReadonlyMap<string, { readonly name: string; readonly values: string }>;

export function valueType(type: Type, enums: EnumTypes): string {
  const [, name = '', list = ''] = /^(.*?)((?:\[\])?)$/.exec(type.name) ?? [];
  const found = enums.get(name);
  return found === undefined ? type.typescript : `Database['public']['Enums'][${textLiteral(found.name)}]${list}`;
}

export function rowType(collection: Collection): string {
  const section = isView(collection) ? 'Views' : 'Tables';
  return `Database['public']['${section}'][${textLiteral(collection.name)}]['Row']`;
}

export function comment(indent: number, text = ''): string {
  return text === '' ? '' : `${' '.repeat(indent)}/** ${text.replaceAll('*/', '* /')} */\n`;
}

/** JSON is TypeScript; only the quotes differ. */
export function literal(type: Type, value: Value): string {
  const text = type.json(value);
  return text.startsWith('"') ? textLiteral(JSON.parse(text)) : text;
}

export function textLiteral(text: string): string {
  const json = JSON.stringify(text);
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

export function member(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name);
}

/** A view that cannot be written. */
export function isView({ key, fields }: Collection): boolean {
  return key.length === 0 && fields.every(({ readOnly }) => readOnly);
}
