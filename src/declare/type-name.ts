/** The type of a field, by its name. */
import { MAX_DECIMAL_DIGITS } from '../collection/types/decimal.ts';
import { castTypeNamed, fieldTypeNamed, fieldTypeNames } from '../collection/types/index.ts';
import type { Type } from '../collection/types/type.ts';
import { nearestName } from '../nearest-name.ts';
import { anyText, type JsonSchema, type Shape, say } from './shape.ts';

const ARRAY = '[]';

export const typeName: Shape<Type> = {
  takes: ['text'],
  words: 'the name of a type',
  schema: typeSchema,
  read: (node, reading, what) => {
    const name = anyText.read(node, reading, what);
    if (name === undefined) return undefined;
    return fieldTypeNamed(name) ?? say(reading, node.at, `there is no type ${name}${advice(name)}`);
  },
};

function advice(name: string): string {
  if (/^(decimal|numeric)\(\d+$/.test(name)) return "; inside { } it is put in quotes, such as 'decimal(12,4)'";
  if (/^(decimal|numeric)\b/.test(name)) {
    return `; a decimal is written decimal(p,s): p digits, ${MAX_DECIMAL_DIGITS} at most, s of them after the point`;
  }
  const suffix = name.endsWith(ARRAY) ? ARRAY : '';
  const element = name.slice(0, name.length - suffix.length);
  const names = fieldTypeNames();
  const synonym = castTypeNamed(element)?.name;
  const meant = synonym !== undefined && names.includes(synonym) ? synonym : nearestName(element, names);
  return meant === undefined ? `; there are ${names.join(', ')}` : ` (perhaps you meant ${meant}${suffix})`;
}

function typeSchema(): JsonSchema {
  const names = fieldTypeNames().filter((name) => fieldTypeNamed(name) !== undefined);
  const arrays = names.map((name) => `${name}${ARRAY}`).filter((name) => fieldTypeNamed(name) !== undefined);
  const decimal = { type: 'string', pattern: '^(decimal|numeric)\\( *[0-9]+ *(, *[0-9]+ *)?\\)(\\[\\])?$' };
  return { anyOf: [{ enum: [...names, ...arrays] }, decimal] };
}
