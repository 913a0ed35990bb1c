/** Prints a collection as YAML: one line per field, without defaults. */
import type { CollectionDraft, FieldDraft, FunctionDraft, ReferenceDraft } from '../../collection/draft.ts';
import { COLLECTION, COMPUTED, FIELD, FUNCTION, FUNCTION_PARAMETER, NO_KEY, REFERENCE, USUAL_KEY } from '../format.ts';

/** Comments for what a declaration cannot express. */
export interface Notes {
  readonly notes: readonly string[];
  /** By field name. */
  readonly fieldNotes: ReadonlyMap<string, string>;
}

const NO_NOTES: Notes = { notes: [], fieldNotes: new Map() };

/** For use under `collections:`. Parsing the result gives the same draft. */
export function printCollection(draft: CollectionDraft, { notes, fieldNotes } = NO_NOTES): string {
  const { name, key, fields } = draft;
  const [only, ...others] = key;
  const single = only === USUAL_KEY ? undefined : (only ?? NO_KEY);
  const computed = draft.computed && byName(draft.computed, COMPUTED);
  const said = { ...draft, key: others.length > 0 ? key : single, computed, fields: undefined };
  return [
    `  ${flow(name)}:`,
    ...notes.map((note) => `    ${comment(note)}`),
    ...inOrder(said, COLLECTION).map(([property, value]) => `    ${property}: ${flow(value)}`),
    '    fields:',
    ...fields.map((field) => {
      const note = fieldNotes.get(field.name);
      return `      ${flow(field.name)}: ${flow(writtenField(field))}${note === undefined ? '' : ` ${comment(note)}`}`;
    }),
    '',
  ].join('\n');
}

/** For use under `functions:`. Functions of one name are a list. */
export function printFunctions(functions: readonly FunctionDraft[]): readonly string[] {
  return [...Map.groupBy(functions, ({ name }) => name)].map(([name, all]) => {
    const written = all.map(writtenFunction);
    return `  ${flow(name)}: ${flow(written.length === 1 ? written[0] : written)}`;
  });
}

function writtenFunction({ parameters, volatility, returns, ...rest }: FunctionDraft): unknown {
  const said = {
    ...rest,
    parameters: parameters.length === 0 ? undefined : byName(parameters, FUNCTION_PARAMETER),
    volatility: volatility === 'volatile' ? undefined : volatility,
    returns: returns && { ...returns, ...(returns.fields && { fields: byName(returns.fields, FUNCTION_PARAMETER) }) },
  };
  return Object.fromEntries(inOrder(said, FUNCTION));
}

/** Only the type name if nothing else is set. */
function byName(all: readonly { readonly name: string; readonly type?: string }[], format: object): unknown {
  return Object.fromEntries(
    all.map(({ name, ...each }) => {
      const properties = inOrder(each, format);
      const isType = properties.length === 1 && each.type !== undefined;
      return [name, isType ? each.type : Object.fromEntries(properties)];
    }),
  );
}

/** A comment on one line. */
export function comment(words: string): string {
  return `# ${words.replace(/\s+/g, ' ').trim()}`;
}

/** A value on one line, without brackets for a list of one. */
function flow(value: unknown): string {
  // Loaded only by commands that write YAML.
  const { Document, visit } = require('yaml') as typeof import('yaml');
  const document = new Document([value], { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && LINE_END.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  const style = { collectionStyle: 'flow', lineWidth: 0, singleQuote: true, doubleQuotedAsJSON: true } as const;
  return document.toString(style).slice('[ '.length, -' ]\n'.length);
}

const LINE_END = /[\n\r]/;

/** Only the type name if nothing else is set. */
function writtenField(field: FieldDraft): unknown {
  const said = { ...field, references: field.references && writtenReference(field.references) };
  const properties = inOrder(said, FIELD);
  return properties.length === 1 ? field.type : Object.fromEntries(properties);
}

/** Only the collection name if nothing else is set. */
function writtenReference({ onDelete, ...reference }: ReferenceDraft): unknown {
  const said = { ...reference, onDelete: onDelete === 'restrict' ? undefined : onDelete };
  const properties = inOrder(said, REFERENCE);
  return properties.length === 1 ? reference.collection : Object.fromEntries(properties);
}

/** The set properties in the order of the format. */
function inOrder(said: Readonly<Record<string, unknown>>, format: object): [property: string, value: unknown][] {
  return Object.keys(format).flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]]));
}
