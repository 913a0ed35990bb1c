/** The shapes of bodies as JSON Schema: a row as it is read, as it is created, as it is changed; and an error. */
import type { Collection, Field } from '../collection/declaration.ts';
import { ERRORS } from '../errors.ts';
import type { Json, JsonObject } from './json.ts';

export function valueSchema(field: Field): JsonObject {
  const { type, ...bounds } = field.type.schema as JsonObject;
  if (type === undefined || field.required === true) return { ...(type === undefined ? {} : { type }), ...bounds };
  return { type: [...(Array.isArray(type) ? type : [type]), 'null'], ...bounds };
}

export function rowSchema(collection: Collection): JsonObject {
  return {
    type: 'object',
    description: `One row of ${collection.name}, whole; with \`select\` it holds what that names instead.`,
    properties: properties(collection),
    required: collection.fields.map((field) => field.name),
    additionalProperties: false,
  };
}

/** On creation the key may be left out, and whatever has a default or may be null. */
export function newRowSchema(collection: Collection): JsonObject {
  const mustBeGiven = collection.fields.filter((field) => isGiven(collection, field));
  return {
    type: 'object',
    description: 'A new row. What is left out takes its default, or null.',
    properties: properties(collection),
    required: mustBeGiven.map((field) => field.name),
    additionalProperties: false,
  };
}

/** Whether a client must give a field on creation. */
export function isGiven({ key }: Collection, field: Field): boolean {
  return field.required === true && field.default === undefined && field !== key;
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

function properties({ fields }: Collection): JsonObject {
  return Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)]));
}

function fieldSchema(field: Field): JsonObject {
  const byDefault: { default?: Json } = field.default === undefined ? {} : { default: field.default as Json };
  return { ...valueSchema(field), description: field.description, ...byDefault };
}
