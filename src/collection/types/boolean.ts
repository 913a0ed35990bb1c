/** boolean: true or false, in any of PostgreSQL's spellings. */
import { rejectSyntax } from './reject.ts';
import { defineType, itself } from './type.ts';

const WORDS: readonly (readonly [string, boolean])[] = [
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
];

/** Accepts any unambiguous prefix of these words; `on` and `off` need two letters. */
function read(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (word === 'on') return true;
  if (word === 'of' || word === 'off') return false;
  const entry = word === '' ? undefined : WORDS.find(([each]) => each.startsWith(word));
  return entry === undefined ? rejectSyntax('boolean', text) : entry[1];
}

const words = (yes: string, no: string) => (sql: string) => `case ${sql} when 1 then '${yes}' when 0 then '${no}' end`;

export const boolean = defineType({
  name: 'boolean',
  abilities: ['boolean'],
  read,
  print: (value) => (value === true ? 't' : 'f'),
  json: String,
  key: (value) => String(Number(value)),
  casts: { int4: (value) => String(Number(value)), text: String },
  sqlite: {
    column: 'integer',
    bind: Number,
    value: (stored) => Number(stored) === 1,
    json: words('true', 'false'),
    text: words('t', 'f'),
    isSame: true,
    check: (sql) => `${sql} in (0, 1)`,
  },
  postgres: {
    name: 'bool',
    plain: itself,
    text: (sql) => `case when ${sql} then 't' when not ${sql} then 'f' end`,
  },
  schema: { type: 'boolean' },
  typescript: 'boolean',
  input: 'switch',
});
