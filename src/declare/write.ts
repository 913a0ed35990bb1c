/** A collection as YAML: a line for each field, and only what is not so by itself. */
import type { CollectionDraft, FieldDraft } from '../collection/draft.ts';
import { COLLECTION, FIELD, USUAL_KEY } from './format.ts';

/** To stand under `collections:`. Reads back as the same draft; its file of rows is named as it is. */
export async function writtenCollection(draft: CollectionDraft): Promise<string> {
  const { stringify } = await import('yaml');
  const flow = (value: unknown) =>
    stringify(value, { collectionStyle: 'flow', lineWidth: 0, singleQuote: true }).trimEnd();
  const { name, key, fields } = draft;
  const [only, ...others] = key;
  const said = { ...draft, key: others.length > 0 ? key : only === USUAL_KEY ? undefined : only, fields: undefined };
  return [
    `  ${name}:`,
    ...inOrder(said, COLLECTION).map(([property, value]) => `    ${property}: ${flow(value)}`),
    '    fields:',
    ...fields.map((field) => `      ${field.name}: ${flow(writtenField(field, key.includes(field.name)))}`),
    '',
  ].join('\n');
}

/** In a word where its type is all that it says. */
function writtenField(field: FieldDraft, isKey: boolean): unknown {
  const { required, references } = field;
  const said = {
    ...field,
    required: isKey ? undefined : required,
    references: references?.onDelete === 'restrict' ? references.collection : references,
  };
  const properties = inOrder(said, FIELD);
  return properties.length === 1 ? field.type : Object.fromEntries(properties);
}

/** What is said, in the order of the format. */
function inOrder(said: Readonly<Record<string, unknown>>, format: object): [property: string, value: unknown][] {
  return Object.keys(format).flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]]));
}
