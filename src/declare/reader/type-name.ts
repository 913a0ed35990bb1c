/** Parses the type of a field. */

import { nearestName } from '../../base/nearest-name.ts';
import { type Sentence, say } from '../../base/sentence.ts';
import { castTypeNamed, fieldTypeNamed, fieldTypeNames } from '../../collection/types/index.ts';
import { MAX_DECIMAL_DIGITS } from '../../collection/types/number/decimal.ts';
import type { Type } from '../../collection/types/type.ts';
import { addMistake, anyText, type JsonSchema, type Shape } from './shape.ts';

const ARRAY = '[]';

/** Type names of other databases and languages, besides PostgreSQL's aliases. */
const FOREIGN_TYPES: Readonly<Record<string, string>> = {
  text: 'string str char character nvarchar nchar longtext mediumtext tinytext clob citext email url uri enum',
  int2: 'tinyint short',
  int4: 'serial int32 mediumint',
  int8: 'bigserial int64 long',
  'decimal(12,2)': 'number currency price',
  float4: 'single',
  float8: 'double',
  boolean: 'bit flag',
  timestamp: 'datetime datetime2',
  timestamptz: 'date-time datetimeoffset instant',
  uuid: 'guid uniqueidentifier',
  json: 'object map hstore',
  'text[]': 'array list',
};

export const typeName: Shape<Type> = {
  takes: ['text'],
  words: say`the name of a type`,
  schema: typeSchema,
  read: (node, reading, what) => {
    const name = anyText.read(node, reading, what);
    if (name === undefined) return undefined;
    return fieldTypeNamed(name) ?? addMistake(reading, node.at, say`unknown type ${name}${advice(name)}`);
  },
};

/** How a type with digits is written. */
const DECIMAL_ADVICE = say`a decimal is written decimal(p,s): p digits, ${MAX_DECIMAL_DIGITS} at most, s of them after the point`;

function advice(name: string): Sentence {
  if (/^(decimal|numeric)\(\d+$/.test(name)) return say`; inside { } it is put in quotes, such as 'decimal(12,4)'`;
  if (/^(decimal|numeric)\b/.test(name)) {
    return say`; ${DECIMAL_ADVICE}`;
  }
  const suffix = name.endsWith(ARRAY) ? ARRAY : '';
  const element = name.slice(0, name.length - suffix.length);
  const names = fieldTypeNames();
  const [, word = '', length] = /^(.*?) *(?:\( *(\d+) *\))?$/s.exec(element.toLowerCase())!;
  const synonym =
    castTypeNamed(word)?.name ??
    Object.keys(FOREIGN_TYPES).find((name) => FOREIGN_TYPES[name]!.split(' ').includes(word));
  const isOne = synonym !== undefined && fieldTypeNamed(`${synonym}${suffix}`) !== undefined;
  const suggestion = isOne ? synonym : nearestName(element, names);
  if (suggestion === undefined) return say`; there are ${names.join(', ')}`;
  const isLimited = suggestion === 'text' && length !== undefined && suffix === '';
  return isLimited
    ? say` (perhaps you meant text with maxLength: ${length})`
    : say` (perhaps you meant ${`${suggestion}${suffix}`})`;
}

function typeSchema(): JsonSchema {
  const names = fieldTypeNames().filter((name) => fieldTypeNamed(name) !== undefined);
  const arrays = names.map((name) => `${name}${ARRAY}`).filter((name) => fieldTypeNamed(name) !== undefined);
  const decimal = { type: 'string', pattern: '^(decimal|numeric)\\( *[0-9]+ *(, *[0-9]+ *)?\\)(\\[\\])?$' };
  return { anyOf: [{ enum: [...names, 'numeric', ...arrays] }, decimal, { type: 'string', pattern: '^pg:' }] };
}
