/** boolean: true or false, in any of the words that PostgreSQL takes for them. */
import { defineType, itself, refuseSyntax } from './type.ts';

const WORDS: readonly (readonly [string, boolean])[] = [
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
];

/** Any unambiguous beginning of these words; `on` and `off` need two letters. */
function read(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (word === 'on') return true;
  if (word === 'of' || word === 'off') return false;
  const found = word === '' ? undefined : WORDS.find(([each]) => each.startsWith(word));
  return found === undefined ? refuseSyntax('boolean', text) : found[1];
}

const words = (yes: string, no: string) => (sql: string) => `case ${sql} when 1 then '${yes}' when 0 then '${no}' end`;

export const boolean = defineType({
  name: 'boolean',
  kind: 'boolean',
  title: 'boolean',
  abilities: ['boolean'],
  read,
  store: read,
  casts: ['int4'],
  aggregates: {},
  sqlite: {
    column: 'integer',
    json: (sql) => `json(${words('true', 'false')(sql)})`,
    text: words('t', 'f'),
    casts: { int4: itself, text: words('true', 'false') },
    check: (sql) => `${sql} in (0, 1)`,
  },
  postgres: {
    name: 'bool',
    plain: itself,
    json: itself,
    text: (sql) => `case when ${sql} then 't' when not ${sql} then 'f' end`,
  },
  schema: { type: 'boolean' },
  typescript: 'boolean',
  input: 'switch',
});
