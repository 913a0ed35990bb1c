/**
 * The shape of a value in a declaration: how it is parsed, with every mistake reported, and its JSON Schema for
 * editors. Shapes compose, and a new key needs only an entry in a table of properties.
 */
import { didYouMean } from '../../base/nearest-name.ts';
import { about, type Sentence, say, type Wording } from '../../base/sentence.ts';
import type { Node } from './document.ts';
import type { Mistakes, Place } from './mistakes.ts';

export type JsonSchema = {
  readonly [key: string]: string | number | boolean | null | JsonSchema | readonly (string | number | JsonSchema)[];
};

/** The current item, such as `products.sku`, and the position of its name. */
export interface Reading {
  readonly mistakes: Mistakes;
  readonly path: string;
  readonly at: Place;
}

export interface At<T> {
  readonly value: T;
  readonly at: Place;
}

export interface Shape<T> {
  readonly takes: readonly Node['kind'][];
  /** As in `must be …`. */
  readonly words: Sentence;
  readonly schema: () => JsonSchema;
  /** Parses a node of an accepted kind, or records a mistake and returns undefined. `what` names it in messages. */
  readonly read: (node: Node, reading: Reading, what: Wording) => T | undefined;
}

export interface Property<T> {
  readonly shape: Shape<T>;
  /** A description for people. */
  readonly about: string;
  readonly isRequired?: boolean;
  /** Why this declaration cannot have it, after its name. */
  readonly rejection?: Sentence;
}

export function property<T>(shape: Shape<T>, about: string, isRequired = false): Property<T> {
  return { shape, about, isRequired };
}

export type Properties = Readonly<Record<string, Property<unknown>>>;
/** The properties of a map with the positions of their keys. */
export type Given<P extends Properties> = {
  readonly [Name in keyof P]?: At<P[Name] extends Property<infer T> ? T : never>;
};

/** A list without the positions of its items. */
type Plain<T> = T extends readonly At<infer Item>[] ? readonly Item[] : T;

/** The values of the given properties, without positions. */
export function valuesOf<P extends Properties, Name extends keyof P>(given: Given<P>, ...names: readonly Name[]) {
  const plain = (value: unknown) =>
    Array.isArray(value) ? (value as readonly At<unknown>[]).map((each) => each.value) : value;
  const properties = names.flatMap((name) => (given[name] === undefined ? [] : [[name, plain(given[name].value)]]));
  return Object.fromEntries(properties) as { [Each in Name]?: Plain<NonNullable<Given<P>[Each]>['value']> };
}

const KIND_WORDS: Readonly<Record<Node['kind'], Sentence>> = {
  text: say`a text`,
  number: say`a number`,
  boolean: say`true or false`,
  null: say`empty`,
  list: say`a list`,
  map: say`a map`,
};

export function addMistake({ mistakes, path }: Reading, at: Place, message: Sentence): undefined {
  return mistakes.add(at, path === '' ? message : about(path, message));
}

export function readAs<T>(shape: Shape<T>, node: Node, reading: Reading, what: Wording): T | undefined {
  if (shape.takes.includes(node.kind)) return shape.read(node, reading, what);
  return addMistake(reading, node.at, say`${what} must be ${shape.words}, not ${KIND_WORDS[node.kind]}`);
}

export const anyText: Shape<string> = {
  takes: ['text'],
  words: say`a text`,
  schema: () => ({ type: 'string', minLength: 1 }),
  read: (node, reading, what) => {
    const text = node.kind === 'text' ? node.text : '';
    return text.trim() === '' ? addMistake(reading, node.at, say`${what} is empty`) : text;
  },
};

export const trueOrFalse: Shape<boolean> = {
  takes: ['boolean'],
  words: say`true or false`,
  schema: () => ({ type: 'boolean' }),
  read: (node) => (node.kind === 'boolean' ? node.value : undefined),
};

/** Absence means false, so `false` is not accepted. */
export const onlyTrue: Shape<true> = {
  takes: ['boolean'],
  words: say`true`,
  schema: () => ({ const: true }),
  read: (node, reading, what) =>
    node.kind === 'boolean' && node.value
      ? true
      : addMistake(reading, node.at, say`${what} is true where it is allowed, and left out where it is not`),
};

export function wholeNumber(least: number, most: number): Shape<number> {
  return {
    takes: ['number'],
    words: say`a whole number from ${least} to ${most}`,
    schema: () => ({ type: 'integer', minimum: least, maximum: most }),
    read: (node, reading, what) => {
      const number = node.kind === 'number' ? Number(node.text) : Number.NaN;
      if (Number.isInteger(number) && number >= least && number <= most) return number;
      return addMistake(reading, node.at, say`${what} must be a whole number from ${least} to ${most}`);
    },
  };
}

export function oneWordOf<const W extends string>(words: readonly W[]): Shape<W> {
  const choice = words.length === 1 ? say`${words[0]!}` : say`one of ${words.join(', ')}`;
  return {
    takes: ['text'],
    words: choice,
    schema: () => ({ enum: words }),
    read: (node, reading, what) => {
      const text = node.kind === 'text' ? node.text : '';
      const word = words.find((each) => each === text);
      if (word !== undefined) return word;
      return addMistake(reading, node.at, say`${what} must be ${choice}, not ${text}${didYouMean(text, words)}`);
    },
  };
}

/** A text that must pass a check: `problemOf` returns the mistake of others. */
export function checkedText(
  words: Sentence,
  problemOf: (text: string, what: Wording) => Sentence | undefined,
  shape = anyText,
): Shape<string> {
  return {
    ...shape,
    words,
    read: (node, reading, what) => {
      const text = shape.read(node, reading, what);
      const problem = text === undefined ? undefined : problemOf(text, what);
      return problem === undefined ? text : addMistake(reading, node.at, problem);
    },
  };
}

/** A value that is parsed later, when the type of the field is known. */
export function asWritten(takes: readonly Node['kind'][], words: Sentence, schema: JsonSchema): Shape<Node> {
  return { takes, words, schema: () => schema, read: (node) => node };
}

export function listOf<T>(shape: Shape<T>, words: Sentence): Shape<readonly At<T>[]> {
  return {
    takes: ['list'],
    words,
    schema: () => ({ type: 'array', items: shape.schema(), minItems: 1 }),
    read: (node, reading, what) => {
      const items = node.kind === 'list' ? node.items : [];
      if (items.length === 0) return addMistake(reading, node.at, say`${what} must be ${words}, at least 1`);
      return items.flatMap((item) => {
        const value = readAs(shape, item, reading, say`each of ${what}`);
        return value === undefined ? [] : [{ value, at: item.at }];
      });
    },
  };
}

/** One of two shapes, by the kind of the node. */
export function either<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
  return {
    takes: [...one.takes, ...other.takes],
    words: say`${one.words}, or ${other.words}`,
    schema: () => ({ anyOf: [one.schema(), other.schema()] }),
    read: (node, reading, what) =>
      one.takes.includes(node.kind) ? one.read(node, reading, what) : other.read(node, reading, what),
  };
}

export function map<A, B>(shape: Shape<A>, change: (value: A, at: Place) => B): Shape<B> {
  return {
    ...shape,
    read: (node, reading, what) => {
      const value = shape.read(node, reading, what);
      return value === undefined ? undefined : change(value, node.at);
    },
  };
}
