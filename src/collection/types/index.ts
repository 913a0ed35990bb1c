/** All types, by their names in declarations and casts. */
import { arrayOf } from './array/array.ts';
import { boolean } from './boolean.ts';
import { bytes, file, fileKind, fileList, image } from './file.ts';
import { FOREIGN_PREFIX, foreign } from './foreign.ts';
import { json } from './json/json.ts';
import { decimal, MAX_DECIMAL_DIGITS } from './number/decimal.ts';
import { float4, float8 } from './number/floats.ts';
import { int2, int4, int8 } from './number/integers.ts';
import { numeric } from './number/numeric.ts';
import { text } from './text.ts';
import { date } from './time/date.ts';
import { time } from './time/time.ts';
import { timestamp, timestamptz } from './time/timestamps.ts';
import { can, type Type } from './type.ts';
import { uuid } from './uuid.ts';

const TYPES = new Map<string, Type>();
const ARRAY = '[]';
/** PostgreSQL's aliases, for casts. */
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

/** Returns a function that removes the type and its arrays again. */
export function addType(type: Type): () => void {
  TYPES.set(type.name, type);
  return () => {
    TYPES.delete(type.name);
    TYPES.delete(`${type.name}${ARRAY}`);
  };
}

const NUMBERS = [int2, int4, int8, numeric, float4, float8];
const TIMES = [date, time, timestamp, timestamptz];
const BUILT_IN = [...NUMBERS, text, boolean, ...TIMES, uuid, json, file, image];
for (const type of [...BUILT_IN, bytes]) addType(type);

const DECIMAL = /^(?:decimal|numeric)\( *(\d+) *(?:, *(\d+) *)?\)$/;

/** Returns the type with a name, or undefined. Equal names give the same object. */
export function typeNamed(name: string): Type | undefined {
  const builtIn = TYPES.get(name);
  if (builtIn !== undefined) return builtIn;
  const type = name.startsWith(FOREIGN_PREFIX)
    ? foreignNamed(name)
    : name.endsWith(ARRAY)
      ? arrayNamed(name.slice(0, -ARRAY.length))
      : decimalNamed(name);
  if (type === undefined) return undefined;
  if (!TYPES.has(type.name)) addType(type);
  return TYPES.get(type.name);
}

function arrayNamed(element: string): Type | undefined {
  const type = typeNamed(element);
  if (type === undefined || type.element !== undefined || type === bytes) return undefined;
  return type.file === undefined ? arrayOf(type) : fileList(type);
}

function foreignNamed(name: string): Type | undefined {
  const own = name.slice(FOREIGN_PREFIX.length);
  return own.trim() === own && own !== '' ? foreign(own) : undefined;
}

function decimalNamed(name: string): Type | undefined {
  const digits = DECIMAL.exec(name);
  if (digits === null) return undefined;
  const [precision, scale] = [Number(digits[1]), Number(digits[2] ?? 0)];
  const isOne = precision >= 1 && precision <= MAX_DECIMAL_DIGITS && scale <= precision;
  return isOne ? decimal(precision, scale) : undefined;
}

/** Whether values are ids or bytes of files. */
function isOfFiles(type: Type): boolean {
  return fileKind(type) !== undefined || type === bytes;
}

/** Whether only computed values and columns of existing PostgreSQL tables have the type. */
export function isOnlyAdopted(type: Type): boolean {
  return type === numeric || can(type, 'foreign');
}

const WHOLE_NUMBERS: readonly Type[] = [int2, int4, int8];

/** Whether a field of the type can hold every key of another type: the same, or a smaller whole number. */
export function holdsKeys(type: Type, key: Type): boolean {
  return type === key || (WHOLE_NUMBERS.includes(key) && WHOLE_NUMBERS.indexOf(type) > WHOLE_NUMBERS.indexOf(key));
}

export function fieldTypeNamed(name: string): Type | undefined {
  const type = typeNamed(name);
  return type?.element === numeric || type === bytes ? undefined : type;
}

/** The names of all field types except arrays, for messages and editors. */
export function fieldTypeNames(): string[] {
  const names = [...TYPES.values()]
    .filter((type) => /^\w+$/.test(type.name) && !isOnlyAdopted(type) && type !== bytes)
    .map(({ name }) => name);
  return [...names, 'decimal(p,s)'];
}

/** The target type of a cast, by any of PostgreSQL's names: `_text` is `text[]`. */
export function castTypeNamed(name: string): Type | undefined {
  const lowered = name.trim().toLowerCase();
  const isArray = lowered.startsWith('_');
  const single = isArray ? lowered.slice(1) : lowered;
  const proper = Object.hasOwn(SYNONYMS, single) ? SYNONYMS[single]! : single;
  const type = typeNamed(isArray ? `${proper}${ARRAY}` : proper);
  return type !== undefined && isOfFiles(type) ? undefined : type;
}

/** The names of cast targets except arrays and decimals, for messages. */
export function castNames(): string[] {
  const types = [...TYPES.values()].filter(
    (type) => type.name === type.kind && type.element === undefined && !can(type, 'foreign'),
  );
  return [...types.map(({ name }) => name), ...Object.keys(SYNONYMS)];
}

/** A type that is known to exist. */
export function builtIn(name: string): Type {
  const type = typeNamed(name);
  if (type === undefined) throw new Error(`type ${name} does not exist`);
  return type;
}
