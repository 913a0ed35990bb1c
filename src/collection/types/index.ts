/** All types, by the names that declarations and casts use for them. */
import { arrayOf } from './array.ts';
import { boolean } from './boolean.ts';
import { date } from './date.ts';
import { decimal, MAX_DECIMAL_DIGITS } from './decimal.ts';
import { float4, float8 } from './floats.ts';
import { int2, int4, int8 } from './integers.ts';
import { json } from './json.ts';
import { numeric } from './numeric.ts';
import { text } from './text.ts';
import { time } from './time.ts';
import { timestamp, timestamptz } from './timestamps.ts';
import type { Type } from './type.ts';
import { uuid } from './uuid.ts';

const TYPES = new Map<string, Type>();
const ARRAY = '[]';
/** PostgreSQL's other names for them, in casts. */
const SYNONYMS: Readonly<Record<string, string>> = {
  smallint: 'int2',
  int: 'int4',
  integer: 'int4',
  bigint: 'int8',
  decimal: 'numeric',
  real: 'float4',
  float: 'float8',
  'double precision': 'float8',
  varchar: 'text',
  'character varying': 'text',
  bool: 'boolean',
  jsonb: 'json',
  'time without time zone': 'time',
  'timestamp without time zone': 'timestamp',
  'timestamp with time zone': 'timestamptz',
};

/** Returns what takes the type away again, with arrays of it. */
export function addType(type: Type): () => void {
  TYPES.set(type.name, type);
  return () => {
    TYPES.delete(type.name);
    TYPES.delete(`${type.name}${ARRAY}`);
  };
}

const BUILT_IN = [
  int2,
  int4,
  int8,
  numeric,
  float4,
  float8,
  text,
  boolean,
  date,
  time,
  timestamp,
  timestamptz,
  uuid,
  json,
];
for (const type of BUILT_IN) addType(type);

const DECIMAL = /^(?:decimal|numeric)\( *(\d+) *(?:, *(\d+) *)?\)$/;

/** Undefined where there is no such type. The same name is always the same object. */
export function typeNamed(name: string): Type | undefined {
  const known = TYPES.get(name);
  if (known !== undefined) return known;
  const type = name.endsWith(ARRAY) ? arrayNamed(name.slice(0, -ARRAY.length)) : decimalNamed(name);
  if (type === undefined) return undefined;
  if (!TYPES.has(type.name)) addType(type);
  return TYPES.get(type.name);
}

function arrayNamed(element: string): Type | undefined {
  const type = typeNamed(element);
  return type === undefined || type.element !== undefined ? undefined : arrayOf(type);
}

function decimalNamed(name: string): Type | undefined {
  const digits = DECIMAL.exec(name);
  if (digits === null) return undefined;
  const [precision, scale] = [Number(digits[1]), Number(digits[2] ?? 0)];
  const isOne = precision >= 1 && precision <= MAX_DECIMAL_DIGITS && scale <= precision;
  return isOne ? decimal(precision, scale) : undefined;
}

/** Whether only fields that are read have the type: adopted columns, and what is computed. */
export function isOnlyRead(type: Type): boolean {
  return type === numeric;
}

const WHOLE_NUMBERS: readonly Type[] = [int2, int4, int8];

/** Whether a field of the type can hold every key of another type: the same, or a smaller whole number. */
export function holdsKeys(type: Type, key: Type): boolean {
  return type === key || (WHOLE_NUMBERS.includes(key) && WHOLE_NUMBERS.indexOf(type) > WHOLE_NUMBERS.indexOf(key));
}

/** The type of a field by that name. */
export function fieldTypeNamed(name: string): Type | undefined {
  const type = typeNamed(name);
  return type?.element === numeric ? undefined : type;
}

/** For messages and editors: the types that a field may have, beside arrays of them. */
export function fieldTypeNames(): string[] {
  const names = [...TYPES.values()]
    .filter((type) => /^\w+$/.test(type.name) && !isOnlyRead(type))
    .map(({ name }) => name);
  return [...names, 'decimal(p,s)'];
}

/** The type that a cast names, in any of PostgreSQL's words for it: `_text` is its own name for `text[]`. */
export function castTypeNamed(name: string): Type | undefined {
  const lowered = name.trim().toLowerCase();
  const isArray = lowered.startsWith('_');
  const single = isArray ? lowered.slice(1) : lowered;
  const proper = Object.hasOwn(SYNONYMS, single) ? SYNONYMS[single]! : single;
  return typeNamed(isArray ? `${proper}${ARRAY}` : proper);
}

/** For messages: what a client may cast to, beside arrays and decimals. */
export function castNames(): string[] {
  const types = [...TYPES.values()].filter(({ name, kind, element }) => name === kind && element === undefined);
  return [...types.map(({ name }) => name), ...Object.keys(SYNONYMS)];
}

/** A type that is surely there. */
export function builtIn(name: string): Type {
  const type = typeNamed(name);
  if (type === undefined) throw new Error(`there is no type ${name}`);
  return type;
}
