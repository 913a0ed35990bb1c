/** Generated declarations of one collection with fields of any type, all kinds of rules and keys, and writes to it. */
import type fc from 'fast-check';
import { fieldTypeNames } from '../../../src/collection/types/index.ts';
import type { Chooser } from './embedding-requests.ts';
import { TYPE_VALUES } from './type-values.ts';

/** A field as JSON in a declaration file, and values to send for it as JSON texts. */
export interface DeclaredField {
  readonly name: string;
  readonly type: string;
  readonly says: Readonly<Record<string, string>>;
  readonly isKey: boolean;
}

export interface DeclaredThings {
  readonly key: readonly string[];
  readonly fields: readonly DeclaredField[];
  readonly uniqueTogether: readonly string[];
}

/** Returns a value of a type as JSON text. */
export type ValueOf = (type: string) => string;

export function valuesFrom(generate: fc.GeneratorValue): ValueOf {
  return (type) => generate(() => TYPE_VALUES[type]!);
}

const KEY_TYPES = ['int4', 'int8', 'uuid', 'text', 'int2', 'date', 'decimal(12,4)', 'timestamptz'];
const TYPES = Object.keys(TYPE_VALUES);
const PATTERNS = ['^[a-z]', '[^a]$', '^.?$', 'b|NULL'];
const ORDERED = /^(int|decimal|float|date$|time)/;

export function chooseThings(choose: Chooser, anyOf: ValueOf): DeclaredThings {
  const keys = Array.from({ length: choose.sometimes(30) ? 2 : 1 }, (_, index): DeclaredField => {
    return { name: `k${index}`, type: choose.one(KEY_TYPES), says: {}, isKey: true };
  });
  const fields = Array.from({ length: choose.number(1, 5) }, (_, index): DeclaredField => {
    const type = choose.one(TYPES);
    return { name: `f${index}`, type, says: chooseRules(choose, anyOf, type), isKey: false };
  });
  const together = choose.sometimes(20) ? fields.filter(({ type }) => isSimple(type)).slice(0, 2) : [];
  return {
    key: keys.map(({ name }) => name),
    fields: [...keys, ...fields],
    uniqueTogether: together.length === 2 ? together.map(({ name }) => name) : [],
  };
}

const isSimple = (type: string) => !type.endsWith('[]') && type !== 'json' && type !== 'boolean';
/** Whether a value can be a bound: a bound of a float field must be finite. */
const isBounded = (written: string) => !/NaN|nfinity/.test(written);

function chooseRules(choose: Chooser, anyOf: ValueOf, type: string): Record<string, string> {
  const says: Record<string, string> = {};
  if (choose.sometimes(25)) says.required = 'true';
  if (isSimple(type) && choose.sometimes(20)) says.unique = 'true';
  if (isSimple(type) && choose.sometimes(20)) says.indexed = 'true';
  const bound = () => {
    const value = anyOf(type);
    return isBounded(value) ? value : undefined;
  };
  if (isSimple(type) && type !== 'uuid' && choose.sometimes(15)) {
    const choices = [...new Set([anyOf(type), anyOf(type), anyOf(type)].filter(isBounded))];
    if (choices.length > 0 && new Set(choices.map((each) => String(JSON.parse(each)))).size === choices.length) {
      says.oneOf = `[${choices.join(',')}]`;
      if (choose.sometimes(30)) says.default = choices[0]!;
      return says;
    }
  }
  if (ORDERED.test(type) && isSimple(type) && choose.sometimes(30)) {
    const value = bound();
    if (value !== undefined) says[choose.one(['minimum', 'maximum'])] = value;
  } else if (type === 'text' && choose.sometimes(40)) {
    if (choose.sometimes(50)) says.maxLength = String(choose.number(1, 4));
    else says.pattern = JSON.stringify(choose.one(PATTERNS));
  } else if (choose.sometimes(30)) {
    const value = anyOf(type);
    // Inside json, a default in a declaration has no more digits than a double holds.
    const isExact = !type.startsWith('json') || JSON.stringify(JSON.parse(value)) === value;
    if (isExact && !['"now"', '"uuid"'].includes(value)) says.default = value;
  }
  return says;
}

/** Returns the declaration as the text of a file. */
export function declarationOf({ key, fields, uniqueTogether }: DeclaredThings): string {
  const members = fields.map(({ name, type, says }) => {
    const rules = Object.entries(says).map(([rule, value]) => `,${JSON.stringify(rule)}:${value}`);
    return `${JSON.stringify(name)}:{"type":${JSON.stringify(type)}${rules.join('')}}`;
  });
  const unique = uniqueTogether.length === 0 ? '' : `"unique":[${JSON.stringify(uniqueTogether)}],`;
  return `{"collections":{"things":{"key":${JSON.stringify(key)},${unique}"fields":{${members.join(',')}}}}}`;
}

export interface SentRow {
  /** The values to send, by field, as JSON text. */
  readonly values: Readonly<Record<string, string>>;
  /** Whether each value is valid for its type. */
  readonly isRight: boolean;
}

/** Chooses a row. Some fields are missing, null or invalid, and a key sometimes repeats an earlier one. */
export function chooseRow(
  choose: Chooser,
  anyOf: ValueOf,
  { fields }: DeclaredThings,
  sent: readonly SentRow[],
): SentRow {
  const values: Record<string, string> = {};
  let isRight = true;
  const again = sent.length > 0 && choose.sometimes(35) ? choose.one(sent) : undefined;
  for (const { name, type, isKey } of fields) {
    const before = again?.values[name];
    if (before !== undefined && (isKey || choose.sometimes(30))) values[name] = before;
    else if (isKey) values[name] = anyOf(type);
    else if (choose.sometimes(15)) continue;
    else if (choose.sometimes(10)) values[name] = 'null';
    else if (choose.sometimes(4)) {
      values[name] = anyOf(choose.one(TYPES));
      isRight = false;
    } else values[name] = anyOf(type);
  }
  return { values, isRight: isRight && (again === undefined || again.isRight) };
}

export function objectOf({ values }: SentRow): string {
  const members = Object.entries(values).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${members.join(',')}}`;
}

/** Their values are files that a client has uploaded. */
const FILE_TYPES = ['file', 'image'];

/** Types that a declaration can name but the generator does not cover. A test expects none. */
export const UNTESTED_TYPES = fieldTypeNames().filter((name) => {
  return !FILE_TYPES.includes(name) && !TYPES.some((type) => type.replace(/\(\d+,\d+\)/, '(p,s)') === name);
});
