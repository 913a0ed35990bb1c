/** The field that names a row for people: the declared one, else the first required text. */
import type { Collection, Field } from './catalogue.ts';
import { can } from './types/type.ts';

export function titleField({ fields, key }: Collection): Field | undefined {
  const isName = ({ type, required, rules }: Field) => can(type, 'text') && required && rules.oneOf === undefined;
  return fields.find(({ role }) => role === 'title') ?? fields.find((each) => isName(each) && !key.includes(each));
}
