/** All types, by the names that declarations and casts use for them. */
import { boolean } from './boolean.ts';
import { decimal, MAX_DECIMAL_DIGITS } from './decimal.ts';
import { float4, float8 } from './floats.ts';
import { int2, int4, int8 } from './integers.ts';
import { json } from './json.ts';
import { numeric } from './numeric.ts';
import { text } from './text.ts';
import type { Type } from './type.ts';

const TYPES = new Map<string, Type>();
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

export function addType(type: Type): void {
  TYPES.set(type.name, type);
}

for (const type of [int2, int4, int8, numeric, float4, float8, text, boolean, json]) addType(type);

const DECIMAL = /^(?:decimal|numeric)\( *(\d+) *(?:, *(\d+) *)?\)$/;

/** Undefined where there is no such type. The same name is always the same object. */
export function typeNamed(name: string): Type | undefined {
  const known = TYPES.get(name);
  if (known !== undefined) return known;
  const digits = DECIMAL.exec(name);
  if (digits === null) return undefined;
  const [precision, scale] = [Number(digits[1]), Number(digits[2] ?? 0)];
  if (precision < 1 || precision > MAX_DECIMAL_DIGITS || scale > precision) return undefined;
  const type = decimal(precision, scale);
  if (type.name === name) addType(type);
  return TYPES.get(type.name) ?? type;
}

/** Types of what is computed, and of no field. */
const COMPUTED: readonly Type[] = [numeric];

/** The type of a field by that name. */
export function fieldTypeNamed(name: string): Type | undefined {
  const [element = ''] = name.split('[]');
  const isComputed = COMPUTED.some((type) => type === typeNamed(element));
  return isComputed ? undefined : typeNamed(name);
}

/** For messages and editors: the types that a field may have, beside arrays of them. */
export function fieldTypeNames(): string[] {
  const names = [...TYPES.keys()].filter((name) => /^\w+$/.test(name) && fieldTypeNamed(name) !== undefined);
  return [...names, 'decimal(p,s)'];
}

/** The type that a cast names, in any of PostgreSQL's words for it. */
export function castTypeNamed(name: string): Type | undefined {
  const lowered = name.trim().toLowerCase();
  return typeNamed(Object.hasOwn(SYNONYMS, lowered) ? SYNONYMS[lowered]! : lowered);
}

/** For messages: what a client may cast to. */
export function castNames(): string[] {
  return [...new Set([...TYPES.keys(), ...Object.keys(SYNONYMS)])];
}

/** A type that is surely there. */
export function builtIn(name: string): Type {
  const type = typeNamed(name);
  if (type === undefined) throw new Error(`there is no type ${name}`);
  return type;
}
