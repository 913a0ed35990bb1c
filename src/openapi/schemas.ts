/**
 * JSON Schemas of bodies: a row in answers, a new row, changes of a row, and an error. None has a `default`: validating
 * clients would add it to changes, and generators make such a field required. The description of a new row has it
 * instead.
 */

import { defined } from '../base/defined.ts';
import { MAX_LISTED_ERRORS } from '../base/limits/http.ts';
import type { Collection, Field } from '../collection/declaration.ts';
import { servedName } from '../collection/files.ts';
import { LIST_OPERATIONS, NUMBER_OPERATIONS, type OperationName } from '../collection/types/operations.ts';
import { can, storeJson } from '../collection/types/type.ts';
import type { Row } from '../collection/value.ts';
import { MAX_ROUND, takesOperations } from '../plan/write/stored-rows.ts';
import { type Components, componentName, type JsonObject } from './component.ts';
import { briefSchema, jsonOf, ruleWords, valueSchema } from './value-schema.ts';

/** `stored` is a row of the collection, which becomes the example. */
export function rowSchema(collection: Collection, stored?: Row): JsonObject {
  return {
    type: 'object',
    description: 'With `select`, the chosen columns.',
    properties: properties(collection),
    required: collection.fields.map((field) => field.name),
    ...(stored === undefined ? {} : { examples: [exampleOf(collection, stored)] }),
  };
}

/** The row as answers contain it. */
function exampleOf({ fields }: Collection, stored: Row): JsonObject {
  const cells = fields.map((field) => {
    const value = stored[field.name];
    const shown = value === undefined ? (field.default ?? null) : storeJson(field.type, value);
    return [field.name, jsonOf(field, shown)];
  });
  return Object.fromEntries(cells) as JsonObject;
}

export function closedObject(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

/** A new row may omit an assigned key, fields with a default and nullable fields. */
export function newRowSchema(collection: Collection): JsonObject {
  const required = collection.fields.filter((field) => isGiven(collection, field)).map((field) => field.name);
  return closedObject(
    Object.fromEntries(collection.fields.map((field) => [field.name, newValueSchema(field)])),
    required,
  );
}

function newValueSchema(field: Field): JsonObject {
  const description = defaultWords(field);
  return { ...briefSchema(field), ...(description === '' ? {} : { description }) };
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

export function changesSchema(components: Components, collection: Collection): JsonObject {
  const schemaOf = (field: Field): JsonObject => {
    if (!takesOperations(collection, field)) return briefSchema(field);
    const kind = can(field.type, 'number') ? 'NumberOperation' : 'ListOperation';
    const build = () => ({ anyOf: [briefSchema(field), components.ref('schemas', kind, () => OPERATIONS[kind])] });
    // Without rules of their own, fields of one type share their schema.
    const isShared = !field.required && Object.keys(field.rules).length === 0;
    return isShared ? components.ref('schemas', `${componentName(field.type.name)}.change`, build) : build();
  };
  return closedObject(Object.fromEntries(collection.fields.map((field) => [field.name, schemaOf(field)])));
}

/** An operation of a PATCH, which the database computes. */
function operationSchema(names: readonly OperationName[], operand: JsonObject, more: JsonObject, description: string) {
  const properties = { ...Object.fromEntries(names.map((name) => [name, operand])), ...more };
  const oneOf = names.map((name) => ({ required: [name] }));
  return { type: 'object', description, properties, oneOf, additionalProperties: false };
}

const ROUND = { type: 'integer', minimum: -MAX_ROUND, maximum: MAX_ROUND, description: 'The decimals of the result.' };

const OPERATIONS = {
  NumberOperation: operationSchema(
    NUMBER_OPERATIONS,
    { type: ['number', 'string'] },
    { round: ROUND },
    'Arithmetic on the stored number. Null stays null.',
  ),
  ListOperation: operationSchema(
    LIST_OPERATIONS,
    { description: 'An element, or a list of elements.' },
    {},
    'Elements to append to the stored list or to remove from it. Null stays null.',
  ),
} as const;

/** The body of an error. */
export function problem(components: Components): JsonObject {
  return components.ref('schemas', 'Problem', () => ({
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
        items: problem(components),
        description: `With errors=all, the first ${MAX_LISTED_ERRORS} errors, in the order of the rows.`,
      },
      sentences: { type: 'object', description: 'The texts as templates with values, for other languages.' },
    },
    required: ['code', 'message', 'details', 'hint'],
    additionalProperties: false,
  }));
}

function properties(collection: Collection): JsonObject {
  const schemaOf = (field: Field) => {
    const words = [
      descriptionOf(field),
      field.onUpdate === undefined ? '' : 'Every change sets it to the current time.',
      computedWords(collection, field),
      ...constraintWords(collection, field),
    ];
    const description = words.filter((each) => each !== '').join(' ') || undefined;
    return { ...valueSchema(field), ...defined({ readOnly: field.readOnly || undefined, description }) };
  };
  return Object.fromEntries(collection.fields.map((field) => [field.name, schemaOf(field)]));
}

/** The description in the declaration, or the title. */
export function descriptionOf({ title, description }: Field): string {
  return description ?? (title === undefined ? '' : `${title}.`);
}

/** A caller who may not read all fields of an expression does not see it. */
function computedWords({ byName }: Collection, { computed }: Field): string {
  return computed?.uses.every((name) => byName.has(name)) === true ? `Computed: \`${computed.text}\`.` : '';
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
