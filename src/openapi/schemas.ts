/**
 * JSON Schemas of bodies: a row in answers, a new row, changes of a row, and an error. None has a `default`: validating
 * clients would add it to changes, and generators make such a field required. The description of a new row has it
 * instead.
 */

import { MAX_LISTED_ERRORS } from '../base/limits/http.ts';
import type { Collection, Field } from '../collection/declaration.ts';
import { servedName } from '../collection/files.ts';
import { LIST_OPERATIONS, NUMBER_OPERATIONS, type OperationName } from '../collection/types/operations.ts';
import { can } from '../collection/types/type.ts';
import { MAX_ROUND, takesOperations } from '../plan/write/operations.ts';
import { schemaRef } from './component.ts';
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

/** A new row may omit an assigned key, fields with a default and nullable fields. */
export function newRowSchema(collection: Collection): JsonObject {
  const mustBeGiven = collection.fields.filter((field) => isGiven(collection, field));
  return {
    type: 'object',
    description: 'A new row. Missing fields take their default, or null.',
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
    // Clients cannot know whether a trigger fills it in.
    field.filled !== true &&
    !field.readOnly &&
    field !== assigned
  );
}

export function changesSchema(collection: Collection): JsonObject {
  return {
    type: 'object',
    description: 'The fields to change, each with its new value or an operation. The others keep their values.',
    properties: properties(collection, descriptionOf, (field) => {
      const value = valueSchema(field);
      return takesOperations(collection, field) ? { anyOf: [value, schemaRef(operationName(field))] } : value;
    }),
    additionalProperties: false,
  };
}

function operationName({ type }: Field): string {
  return can(type, 'number') ? 'NumberOperation' : 'ListOperation';
}

/** The operations of a PATCH, which the database computes. */
export function operationSchemas(): Record<string, JsonObject> {
  const schema = (names: readonly OperationName[], operand: JsonObject, more: JsonObject, description: string) => ({
    type: 'object',
    description,
    properties: { ...Object.fromEntries(names.map((name) => [name, operand])), ...more },
    oneOf: names.map((name) => ({ required: [name] })),
    additionalProperties: false,
  });
  const round = {
    type: 'integer',
    minimum: -MAX_ROUND,
    maximum: MAX_ROUND,
    description: 'The decimals of the result.',
  };
  return {
    NumberOperation: schema(
      NUMBER_OPERATIONS,
      { type: ['number', 'string'] },
      { round },
      'Arithmetic on the stored number. Null stays null.',
    ),
    ListOperation: schema(
      LIST_OPERATIONS,
      { description: 'An element, or a list of elements.' },
      {},
      'Elements to append to the stored list or to remove from it. Null stays null.',
    ),
  };
}

export function problemSchema(): JsonObject {
  return {
    type: 'object',
    description: 'Why the service rejected a request.',
    properties: {
      code: { type: 'string', description: 'The kind of error. Codes never change.' },
      message: { type: 'string', description: 'What is wrong, in a sentence.' },
      details: {
        type: ['string', 'array', 'null'],
        items: { type: 'object', additionalProperties: { type: 'string' } },
        description: 'Where or why: for a body, the row and the field. With 300, the matching relationships.',
      },
      hint: { type: ['string', 'null'], description: 'What to do about it.' },
      index: { type: 'integer', minimum: 0, description: 'The row of the body, counted from 0.' },
      field: { type: 'string', description: 'The field, or the fields of a key separated by commas.' },
      value: { description: 'The value of the field in the body, shortened if it is long.' },
      total: { type: 'integer', minimum: 1, description: 'With errors=all, the number of errors in the body.' },
      errors: {
        type: 'array',
        items: { $ref: '#/components/schemas/Problem' },
        description: `With errors=all, the first ${MAX_LISTED_ERRORS} errors, in the order of the rows.`,
      },
    },
    required: ['code', 'message', 'details', 'hint'],
    additionalProperties: false,
  };
}

function properties(
  collection: Collection,
  describe: (field: Field) => string = descriptionOf,
  schemaOf: (field: Field) => JsonObject = valueSchema,
): JsonObject {
  return Object.fromEntries(
    collection.fields.map((field) => {
      const description = [describe(field), ...constraintWords(collection, field)]
        .filter((each) => each !== '')
        .join(' ');
      return [
        field.name,
        { ...schemaOf(field), ...readOnlyMark(field), ...(description === '' ? {} : { description }) },
      ];
    }),
  );
}

function readOnlyMark({ readOnly }: Field): JsonObject {
  return readOnly ? { readOnly } : {};
}

/** The description in the declaration, or the title. */
export function descriptionOf({ title, description }: Field): string {
  return description ?? (title === undefined ? '' : `${title}.`);
}

function withDefault(field: Field): string {
  const words = [
    descriptionOf(field),
    defaultWords(field),
    field.onUpdate === undefined ? '' : 'Every change sets it to the current time.',
  ];
  return words.filter((each) => each !== '').join(' ');
}

function defaultWords({ type, default: value, generated }: Field): string {
  if (generated !== undefined) return `The default is ${GENERATED[generated]}.`;
  return value === undefined || value === null ? '' : `The default is ${type.print(value)}.`;
}

const GENERATED: Readonly<Record<NonNullable<Field['generated']>, string>> = {
  now: 'the time of the request',
  uuid: 'a new UUID',
};

/** Constraints that a schema cannot express: some rules, uniqueness and references. */
function constraintWords({ unique, references }: Collection, field: Field): string[] {
  const sets = unique.filter(({ fields }) => fields.includes(field)).map(({ fields }) => fields);
  return [
    ...ruleWords(field),
    ...sets.map((fields) =>
      fields.length === 1 ? 'Unique.' : `Unique together: ${fields.map(({ name }) => name).join(', ')}.`,
    ),
    ...references
      .filter((reference) => reference.field === field)
      .map(({ to }) => `Refers to a row of ${servedName(to)}.`),
  ];
}
