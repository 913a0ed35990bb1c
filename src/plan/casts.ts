/** The types a client may cast to, by PostgreSQL's names for them, and which casts exist. */
import { Refusal } from '../errors.ts';
import type { Expression, ScalarType } from './types.ts';

const TYPE_NAMES: Readonly<Record<string, ScalarType>> = {
  int2: 'int2',
  smallint: 'int2',
  int: 'int4',
  int4: 'int4',
  integer: 'int4',
  int8: 'int8',
  bigint: 'int8',
  numeric: 'decimal',
  decimal: 'decimal',
  float4: 'float8',
  real: 'float8',
  float8: 'float8',
  float: 'float8',
  'double precision': 'float8',
  text: 'text',
  varchar: 'text',
  'character varying': 'text',
  bool: 'bool',
  boolean: 'bool',
  json: 'json',
  jsonb: 'json',
};

export const TYPE_TITLES: Readonly<Record<ScalarType, string>> = {
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  decimal: 'numeric',
  float8: 'double precision',
  text: 'text',
  bool: 'boolean',
  json: 'json',
};

const NUMBERS: readonly ScalarType[] = ['int2', 'int4', 'int8', 'decimal', 'float8', 'text'];

const CASTS: Readonly<Record<ScalarType, readonly ScalarType[]>> = {
  int2: NUMBERS,
  int4: [...NUMBERS, 'bool'],
  int8: NUMBERS,
  decimal: NUMBERS,
  float8: NUMBERS,
  text: [...NUMBERS, 'bool'],
  bool: ['bool', 'int4', 'text'],
  json: ['json', 'text'],
};

export function cast(of: Expression, typeName: string): Expression {
  const name = typeName.toLowerCase();
  const type = Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name] : undefined;
  if (type === undefined) {
    throw new Refusal('42704', `type "${typeName}" does not exist`, {
      hint: `Types to cast to: ${Object.keys(TYPE_NAMES).join(', ')}.`,
    });
  }
  if (!CASTS[of.type].includes(type)) {
    throw new Refusal('42846', `cannot cast type ${TYPE_TITLES[of.type]} to ${TYPE_TITLES[type]}`);
  }
  if (of.kind === 'null') return { kind: 'null', type };
  return of.type === type ? of : { kind: 'cast', of, type };
}
