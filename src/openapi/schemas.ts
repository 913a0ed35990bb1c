/**
 * The shapes of bodies as JSON Schema: a row as it is read, as it is created, as it is changed; and an error. None has
 * a `default`: clients that validate fill them into changes, and generators make such a field required. The
 * description of a new row says it instead.
 */
import type { Collection, Field } from '../collection/declaration.ts';
import { ERRORS } from '../errors.ts';
import type { JsonObject } from './json.ts';
import { ruleWords, valueSchema } from './value-schema.ts';

export function rowSchema(collection: Collection): JsonObject {
  return {
    type: 'object',
    description: `One row of ${collection.name}, whole.`,
    properties: properties(collection),
    required: collection.fields.map((field) => field.name),
    additionalProperties: false,
  };
}

/** The row of the operations in which a request chooses the shape. */
export function selectedRowSchema(): JsonObject {
  return {
    type: 'object',
    description:
      'A row in the shape of the request: `select` names its members, and `nulls=stripped` omits fields that are null. Without both it is a whole row.',
    additionalProperties: true,
  };
}

/** On creation the key may be left out, and whatever has a default or may be null. */
export function newRowSchema(collection: Collection): JsonObject {
  const mustBeGiven = collection.fields.filter((field) => isGiven(collection, field));
  return {
    type: 'object',
    description: 'A new row. What is left out takes its default, or null.',
    properties: properties(collection, withDefault),
    required: mustBeGiven.map((field) => field.name),
    additionalProperties: false,
  };
}

/** Whether a client must give a field on creation. */
export function isGiven({ assigned }: Collection, field: Field): boolean {
  return (
    field.required &&
    field.default === undefined &&
    field.generated === undefined &&
    !field.filled &&
    !field.readOnly &&
    field !== assigned
  );
}

export function changesSchema(collection: Collection): JsonObject {
  return {
    type: 'object',
    description: 'The fields to change; the others stay as they are.',
    properties: properties(collection),
    additionalProperties: false,
  };
}

export function problemSchema(): JsonObject {
  return {
    type: 'object',
    description: 'Why a request was refused.',
    properties: {
      code: { type: 'string', enum: Object.keys(ERRORS), description: 'Names the kind of refusal; it never changes.' },
      message: { type: 'string', description: 'What went wrong, in a sentence.' },
      details: {
        type: ['string', 'array', 'null'],
        items: { type: 'object', additionalProperties: { type: 'string' } },
        description:
          'Where, or why: for a body the row and the field. With 300, the relationships that could be meant.',
      },
      hint: { type: ['string', 'null'], description: 'What to do about it.' },
    },
    required: ['code', 'message', 'details', 'hint'],
    additionalProperties: false,
  };
}

function properties(collection: Collection, describe: (field: Field) => string = descriptionOf): JsonObject {
  return Object.fromEntries(
    collection.fields.map((field) => {
      const description = [describe(field), ...constraintWords(collection, field)]
        .filter((each) => each !== '')
        .join(' ');
      return [
        field.name,
        { ...valueSchema(field), ...readOnlyMark(field), ...(description === '' ? {} : { description }) },
      ];
    }),
  );
}

function readOnlyMark({ readOnly }: Field): JsonObject {
  return readOnly ? { readOnly } : {};
}

/** In the declaration's words. */
export function descriptionOf({ title, description }: Field): string {
  return description ?? (title === undefined ? '' : `${title}.`);
}

function withDefault(field: Field): string {
  const words = [
    descriptionOf(field),
    defaultWords(field),
    field.onUpdate === undefined ? '' : 'Every change sets it to the time.',
  ];
  return words.filter((each) => each !== '').join(' ');
}

function defaultWords({ type, default: value, generated }: Field): string {
  if (generated !== undefined) return `${GENERATED[generated]} where it is left out.`;
  return value === undefined || value === null ? '' : `${type.print(value)} where it is left out.`;
}

const GENERATED: Readonly<Record<NonNullable<Field['generated']>, string>> = {
  now: 'The time of the request',
  uuid: 'A new one',
};

/** What a schema cannot say: some rules, what is unique, what refers to what. */
function constraintWords({ unique, references }: Collection, field: Field): string[] {
  const sets = unique.filter(({ fields }) => fields.includes(field)).map(({ fields }) => fields);
  return [
    ...ruleWords(field),
    ...sets.map((fields) =>
      fields.length === 1 ? 'Unique.' : `Unique together: ${fields.map(({ name }) => name).join(', ')}.`,
    ),
    ...references.filter((reference) => reference.field === field).map(({ to }) => `Refers to a row of ${to}.`),
  ];
}
