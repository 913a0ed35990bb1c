/** A collection as YAML: a line for each field, and only what is not so by itself. */
import { Document, visit } from 'yaml';
import type { CollectionDraft, FieldDraft } from '../collection/draft.ts';
import { COLLECTION, FIELD, USUAL_KEY } from './format.ts';

/** To stand under `collections:`. Reads back as the same draft; its file of rows is named as it is. */
export function writtenCollection(draft: CollectionDraft): string {
  const { name, key, fields } = draft;
  const [only, ...others] = key;
  const said = { ...draft, key: others.length > 0 ? key : only === USUAL_KEY ? undefined : only, fields: undefined };
  return [
    `  ${name}:`,
    ...inOrder(said, COLLECTION).map(([property, value]) => `    ${property}: ${flow(value)}`),
    '    fields:',
    ...fields.map((field) => `      ${field.name}: ${flow(writtenField(field))}`),
    '',
  ].join('\n');
}

/** On one line, whatever it is: as the only one of a list, without the brackets. */
function flow(value: unknown): string {
  const document = new Document([value]);
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && LINE_END.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  const style = { collectionStyle: 'flow', lineWidth: 0, singleQuote: true, doubleQuotedAsJSON: true } as const;
  return document.toString(style).slice('[ '.length, -' ]\n'.length);
}

const LINE_END = /[\n\r]/;

/** In a word where its type is all that it says. */
function writtenField(field: FieldDraft): unknown {
  const { references } = field;
  const said = {
    ...field,
    references: references?.onDelete === 'restrict' ? references.collection : references,
  };
  const properties = inOrder(said, FIELD);
  return properties.length === 1 ? field.type : Object.fromEntries(properties);
}

/** What is said, in the order of the format. */
function inOrder(said: Readonly<Record<string, unknown>>, format: object): [property: string, value: unknown][] {
  return Object.keys(format).flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]]));
}
