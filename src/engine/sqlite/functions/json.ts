/** JSON functions of PostgreSQL for JSON stored as text. */
import { parseJson, WrittenNumber } from '../../../collection/exact-json.ts';

/** All strings at any depth, in order, for full-text search. Names and numbers do not count. */
export function stringsIn(text: string): readonly string[] {
  const strings: string[] = [];
  const gather = (json: unknown): void => {
    if (typeof json === 'string') strings.push(json);
    else if (Array.isArray(json)) json.forEach(gather);
    else if (typeof json === 'object' && json !== null) Object.values(json).forEach(gather);
  };
  gather(JSON.parse(text));
  return strings;
}

/** Removes null members at any depth. Null list items stay, since the others would shift. */
export function withoutNulls(text: string): string {
  return print(parseJson(text));
}

function print(json: unknown): string {
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  if (json instanceof WrittenNumber) return json.text;
  if (Array.isArray(json)) return `[${json.map(print).join(',')}]`;
  const members = Object.entries(json).flatMap(([key, value]) =>
    value === null ? [] : `${JSON.stringify(key)}:${print(value)}`,
  );
  return `{${members.join(',')}}`;
}
