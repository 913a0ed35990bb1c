/**
 * The shapes of bodies as JSON Schema: a row as it is read, as it is created, as it is changed; and an error. None has
 * a `default`: clients that validate fill them into changes, and generators make such a field required. The
 * description of a new row says it instead.
 */
import type { Collection, Field } from '../collection/declaration.ts';
import { ERRORS } from '../errors.ts';
import type { JsonObject } from './json.ts';

export function valueSchema(field: Field): JsonObject {
  const { type, ...bounds } = field.type.schema as JsonObject;
  if (type === undefined || field.required === true) return { ...(type === undefined ? {} : { type }), ...bounds };
  return { type: [...(Array.isArray(type) ? type : [type]), 'null'], ...bounds };
}

export function rowSchema(collection: Collection): JsonObject {
  return {
    type: 'object',
    description: `One row of ${collection.name}, whole.`,
    properties: properties(collection),
    required: collection.fields.map((field) => field.name),
    additionalProperties: false,
  };
}

/** OpenAPI has no way to say that the shape of an answer follows from a parameter. */
export function selectedRowSchema(): JsonObject {
  return {
    type: 'object',
    description:
      'A row of another shape: with `select` it holds what that names, under the names it gives; with `nulls=stripped` it lacks the fields that are null.',
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
      details: { type: ['string', 'null'], description: 'Where, or why: for a body the row and the field.' },
      hint: { type: ['string', 'null'], description: 'What to do about it.' },
    },
    required: ['code', 'message', 'details', 'hint'],
    additionalProperties: false,
  };
}

function properties({ fields }: Collection, describe = (field: Field): string => field.description ?? ''): JsonObject {
  return Object.fromEntries(
    fields.map((field) => [field.name, { ...valueSchema(field), description: describe(field) }]),
  );
}

function withDefault(field: Field): string {
  const { description = '' } = field;
  return field.default === undefined ? description : `${description} ${String(field.default)} where it is left out.`;
}
