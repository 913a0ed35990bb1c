/** Shapes of maps: with a fixed table of keys, or with user-defined names. */
import { didYouMean } from '../../base/nearest-name.ts';
import { type Sentence, say, type Wording } from '../../base/sentence.ts';
import {
  type At,
  addMistake,
  either,
  type Given,
  type JsonSchema,
  map,
  type Properties,
  type Reading,
  readAs,
  type Shape,
} from './shape.ts';

/** A map with these keys only, except ignored ones with a prefix. */
export function propertiesOf<P extends Properties>(properties: P, words: Sentence, ignored?: string): Shape<Given<P>> {
  const names = Object.keys(properties);
  const required = names.filter((name) => properties[name]!.isRequired === true);
  return {
    takes: ['map'],
    words,
    schema: () => ({
      type: 'object',
      properties: schemasOf(properties),
      ...(required.length === 0 ? {} : { required }),
      ...(ignored === undefined ? {} : { patternProperties: { [`^${ignored}`]: {} } }),
      additionalProperties: false,
    }),
    read: (node, reading) => {
      const given: Record<string, At<unknown>> = {};
      const entries = node.kind === 'map' ? node.entries : [];
      for (const { key, at, node } of entries) {
        if (ignored !== undefined && key.startsWith(ignored)) continue;
        if (!Object.hasOwn(properties, key)) {
          addMistake(reading, at, say`unknown key ${key}${advice(key, names)}`);
          continue;
        }
        const { shape, rejection } = properties[key]!;
        if (rejection !== undefined) {
          addMistake(reading, at, say`${key} ${rejection}`);
          continue;
        }
        const value = readAs(shape, node, reading, key);
        if (value !== undefined) given[key] = { value, at };
      }
      for (const name of required) {
        if (!entries.some(({ key }) => key === name)) addMistake(reading, reading.at, say`${name} is missing`);
      }
      return given as Given<P>;
    },
  };
}

/** The same map, or only the value of one of its keys: a field is `int4`, or `{ type: int4 }`. */
export function propertiesOr<P extends Properties, T>(
  short: Shape<T>,
  name: keyof P & string,
  properties: P,
  words: Sentence,
): Shape<Given<P>> {
  const alone = map(short, (value, at) => ({ [name]: { value, at } }));
  return either(alone, propertiesOf(properties, words)) as Shape<Given<P>>;
}

function advice(key: string, names: readonly string[]): Wording {
  const here = ourKeyword(key, names);
  if (here !== undefined) return say` (perhaps you meant ${here})`;
  return didYouMean(key, names) || say`; there are ${names.join(', ')}`;
}

function schemasOf(properties: Properties): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { shape, about }]) => [name, { description: about, ...shape.schema() }]),
  );
}

/** A map with these keys and user-defined names of one shape. */
export function propertiesAndNames<P extends Properties, T>(
  properties: P,
  { shape, words }: { shape: Shape<T>; words: Sentence },
): Shape<{ readonly given: Given<P>; readonly named: readonly Named<T>[] }> {
  return {
    takes: ['map'],
    words,
    schema: () => ({
      type: 'object',
      properties: schemasOf(properties),
      additionalProperties: shape.schema(),
    }),
    read: (node, { mistakes, path }) => {
      const given: Record<string, At<unknown>> = {};
      const named: Named<T>[] = [];
      for (const { key, at, node: child } of node.kind === 'map' ? node.entries : []) {
        const reading: Reading = { mistakes, path: `${path}.${key}`, at };
        if (!Object.hasOwn(properties, key)) {
          named.push({ name: key, reading, value: readAs(shape, child, reading, IT) });
          continue;
        }
        const value = readAs(properties[key]!.shape, child, { mistakes, path, at }, key);
        if (value !== undefined) given[key] = { value, at };
      }
      return { given: given as Given<P>, named };
    },
  };
}

export interface Named<T> {
  readonly name: string;
  readonly reading: Reading;
  /** Undefined if it is invalid; its name still exists for references. */
  readonly value: T | undefined;
}

const IT = say`it`;

/** A map with user-defined names; at most `most`, with `noun` as their plural. */
export function namesTo<T>(
  shape: Shape<T>,
  noun: Sentence,
  most: number,
  names: Shape<string>,
  words = say`a map from names to ${noun}`,
): Shape<readonly Named<T>[]> {
  return {
    takes: ['map'],
    words,
    schema: () => ({
      type: 'object',
      minProperties: 1,
      maxProperties: most,
      propertyNames: names.schema(),
      additionalProperties: shape.schema(),
    }),
    read: (node, { mistakes, path }, what) => {
      const entries = node.kind === 'map' ? node.entries : [];
      const here = { mistakes, path, at: node.at };
      if (entries.length === 0) return addMistake(here, node.at, say`${what} names no ${noun}`);
      if (entries.length > most) return addMistake(here, entries[most]!.at, say`there may be ${most} ${noun} at most`);
      return entries.map(({ key, at, node }) => {
        const reading: Reading = { mistakes, path: path === '' ? key : `${path}.${key}`, at };
        names.read({ kind: 'text', text: key, at, placeOf: () => at }, here, what);
        return { name: key, reading, value: readAs(shape, node, reading, IT) };
      });
    },
  };
}

/** Keywords of other databases and formats. */
const FOREIGN_KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  required: ['nullable', 'null', 'notnull', 'optional', 'mandatory'],
  key: ['primarykey', 'pk', 'identity'],
  references: ['foreignkey', 'fk', 'ref', 'relation'],
  oneOf: ['enum', 'values', 'choices', 'options'],
  minimum: ['min', 'gte'],
  maximum: ['max', 'lte'],
  maxLength: ['length', 'size'],
  pattern: ['regex', 'regexp', 'format'],
  fields: ['columns', 'properties', 'attributes'],
  rows: ['data', 'seed', 'file'],
  title: ['label'],
  description: ['comment'],
  read: ['select', 'get', 'list', 'view'],
  create: ['insert', 'add', 'post'],
  update: ['write', 'edit', 'patch', 'change'],
  delete: ['remove', 'destroy'],
  where: ['filter', 'condition', 'using', 'check'],
  include: ['inherits', 'extends'],
};

/** Our keyword for one of another format, among those available. */
function ourKeyword(key: string, names: readonly string[]): string | undefined {
  const word = key.toLowerCase().replaceAll(/[_ -]/g, '');
  return names.find((name) => FOREIGN_KEYWORDS[name]?.includes(word) === true);
}
