/** What PostgreSQL does with JSON as a whole, for JSON that is stored as text. */
import { parseJson, WrittenNumber } from '../../collection/exact-json.ts';

/** All texts in it, at any depth, in their order: what a full text search looks at. Names and numbers are none. */
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

/** Without the members that are null, at any depth; a null in a list stays, since the others would move. */
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
