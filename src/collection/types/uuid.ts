/** uuid: 128 bits, printed in lower case with hyphens. */
import { rejectSyntax } from './reject.ts';
import { defineType, PLAIN_TEXT } from './type.ts';

/** PostgreSQL's syntax: optional braces, an optional hyphen after every four digits. */
const UUID = /^(\{?)((?:[0-9a-f]{4}-?){7}[0-9a-f]{4})(\}?)$/i;

function read(text: string): string {
  const match = UUID.exec(text);
  if (match === null || (match[1] === '') !== (match[3] === '')) return rejectSyntax('uuid', text);
  const digits = match[2]!.replaceAll('-', '').toLowerCase();
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export const uuid = defineType({
  name: 'uuid',
  read,
  generated: { uuid: () => crypto.randomUUID() },
  sqlite: PLAIN_TEXT,
  postgres: { name: 'uuid', plain: (sql) => `(${sql})::text` },
  schema: { type: 'string', format: 'uuid', examples: ['8d7f0c8e-52a1-4f3b-9c60-3f1f3f0a7b11'] },
});
