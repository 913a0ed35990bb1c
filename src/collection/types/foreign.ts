/**
 * pg:<name>: a type of PostgreSQL that the service passes through, such as `pg:interval` or an enum. The database
 * parses, compares, orders and casts its values; `to_json` prints them. Only columns of existing tables have it.
 */
import { unlessThrown } from '../../base/errors.ts';
import { jsonText } from '../exact-json.ts';
import type { Value } from '../value.ts';
import { readText } from './text.ts';
import { defineType, PLAIN_TEXT, type Type } from './type.ts';

export const FOREIGN_PREFIX = 'pg:';

/** `name` is PostgreSQL's own: `interval`, `inet[]`, `shop."Size"`. */
export function foreign(name: string): Type {
  const own = `${FOREIGN_PREFIX}${name}`;
  return defineType({
    name: own,
    title: name,
    abilities: ['foreign'],
    read: readText,
    storeJson: (json) => readText(typeof json === 'string' ? json : jsonText(json)),
    json: (value) => (isJsonText(value) ? String(value) : JSON.stringify(value)),
    casts: { '*': String },
    aggregates: { sum: own, avg: own, max: own, min: own },
    sqlite: PLAIN_TEXT,
    postgres: { name },
    schema: {},
    typescript: 'unknown',
  });
}

/** Whether a text is a JSON object or list, which PostgreSQL converts to composite types and arrays. */
function isJsonText(value: Value): boolean {
  const text = String(value);
  return /^[[{]/.test(text) && unlessThrown(() => JSON.parse(text)) !== undefined;
}
