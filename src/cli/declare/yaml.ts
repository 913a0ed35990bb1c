/** A declaration as YAML, a line for each field, with what it cannot say in comments. */
import type { FieldDraft } from '../../collection/draft.ts';
import type { DescribedCollection, DescribedDatabase } from '../../engine/described.ts';

export function writtenDeclaration({ location, collections, leftOut }: DescribedDatabase): string {
  return [
    `# The tables of ${oneLine(location)}, written by catalogue declare.`,
    ...(leftOut.length === 0 ? [] : ['# Left out:', ...leftOut.map((each) => `#   ${oneLine(each)}`)]),
    'collections:',
    ...collections.flatMap(collectionLines),
    '',
  ].join('\n');
}

/** The key that needs no word. */
const USUAL_KEY = 'id';

function collectionLines({ draft, notes, fieldNotes }: DescribedCollection): string[] {
  const { name, key, fields, unique } = draft;
  const keyWords = key.length === 1 ? scalar(key[0]!) : flow(key);
  return [
    `  ${scalar(name)}:`,
    ...notes.map((note) => `    # ${oneLine(note)}`),
    ...(key.length === 1 && key[0] === USUAL_KEY ? [] : [`    key: ${keyWords}`]),
    '    fields:',
    ...fields.map((field) => {
      const note = fieldNotes.get(field.name);
      return `      ${scalar(field.name)}: ${fieldText(field)}${note === undefined ? '' : ` # ${oneLine(note)}`}`;
    }),
    ...(unique === undefined ? [] : [`    unique: ${flow(unique)}`]),
  ];
}

/** In a word where its type is all there is to say. */
function fieldText({ name, references, ...properties }: FieldDraft): string {
  const to = references?.onDelete === 'restrict' ? references.collection : references;
  const said = Object.entries({ ...properties, references: to }).filter(([, value]) => value !== undefined);
  return said.length === 1 ? scalar(properties.type) : flow(Object.fromEntries(said));
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, each]) => `${scalar(key)}: ${flow(each)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return typeof value === 'string' ? scalar(value) : JSON.stringify(value);
}

/** Words that YAML would take for something else. */
const OTHER = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** JSON's quotes are YAML's, too. */
function scalar(text: string): string {
  return /^[a-zA-Z_]\w*$/.test(text) && !OTHER.test(text) ? text : JSON.stringify(text);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
