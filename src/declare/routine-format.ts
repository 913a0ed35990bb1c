/** The format of queries, actions and functions. */
import { MAX_FIELDS, MAX_QUERY_PARAMETERS } from '../base/limits/declaration.ts';
import { MAX_BODY_ROWS } from '../base/limits/http.ts';
import { say } from '../base/sentence.ts';
import { BODY_TYPES, VOLATILITIES } from '../collection/draft.ts';
import type { Type } from '../collection/types/type.ts';
import { BATCH_WRITES } from '../http/batch-call.ts';
import { aName, FIELD } from './collection-format.ts';
import { anyName, fieldName } from './names.ts';
import { namesTo, propertiesOf, propertiesOr } from './reader/maps.ts';
import {
  anyText,
  asWritten,
  either,
  type Given,
  listOf,
  oneWordOf,
  property,
  type Shape,
  trueOrFalse,
  wholeNumber,
} from './reader/shape.ts';
import { typeName } from './reader/type-name.ts';

export const PARAMETER = {
  type: property(typeName, 'The type of the values.', true),
  default: property(FIELD.default.shape, 'The value if a call gives none. Without a default, a call must give one.'),
  description: FIELD.description,
} as const;

export const QUERY = {
  parameters: property(
    namesTo(
      propertiesOr(typeName, 'type', PARAMETER, say`a map with type and default`),
      say`parameters`,
      MAX_QUERY_PARAMETERS,
      fieldName,
    ),
    'The parameters. Each is a type, or a map as below.',
  ),
  read: property(anyText, 'Path and query of a list. `{parameter}` as a value inserts an argument.', true),
  mediaType: property(anyText, 'The media type of the answer, such as `text/csv`, unless a request asks for another.'),
  description: FIELD.description,
} as const;

const ROWS = 'rows';

/** The type of a value, or `rows`. */
const parameterType: Shape<Type | typeof ROWS> = {
  ...typeName,
  words: say`the name of a type, or rows`,
  schema: () => ({ anyOf: [{ const: ROWS }, typeName.schema()] }),
  read: (node, reading, what) =>
    node.kind === 'text' && node.text === ROWS ? ROWS : typeName.read(node, reading, what),
};

const VALUE_PARAMETER = {
  type: property(typeName, 'The type of the values.', true),
  required: property(trueOrFalse, 'Whether a call must give it. Default: true without a default.'),
  default: FIELD.default,
  minimum: FIELD.minimum,
  maximum: FIELD.maximum,
  maxLength: FIELD.maxLength,
  pattern: FIELD.pattern,
  oneOf: FIELD.oneOf,
  description: FIELD.description,
} as const;

export const ACTION_PARAMETER = {
  ...VALUE_PARAMETER,
  type: property(parameterType, 'The type of the values, or `rows` for a list of objects.', true),
  required: property(
    trueOrFalse,
    'Whether a call must give it, at least one row of `rows`. Default: true without a default.',
  ),
  default: property(FIELD.default.shape, 'The value if a call gives none. Not for `rows`.'),
  maximum: property(FIELD.maximum.shape, 'The largest value, or the largest number of `rows` (default 100).'),
  fields: property(
    namesTo(
      propertiesOr(typeName, 'type', VALUE_PARAMETER, say`a map with type and rules`),
      say`fields`,
      MAX_FIELDS,
      fieldName,
      say`a map from names to types`,
    ),
    'The fields of `rows`. Each is a type, or a map with the keys above.',
  ),
} as const;

export const ACTION_ENTRY = {
  name: property(aName, 'A name for `{name.field}` in later entries, and for `returns`.'),
  each: property(aName, 'A parameter of type `rows`: the entry is repeated for each row.'),
  method: property(oneWordOf(BATCH_WRITES), 'The kind of write, as in a batch.', true),
  path: property(anyText, 'The collection and the query. A value of a filter may be a placeholder.', true),
  headers: property(
    namesTo(anyText, say`headers`, MAX_FIELDS, anyName, say`a map from names to texts`),
    'The header `Prefer`, as in a batch.',
  ),
  body: property(
    asWritten(['text', 'number', 'boolean', 'null', 'list', 'map'], say`a value`, {}),
    'The body. Its values may be placeholders.',
  ),
  affects: property(
    wholeNumber(0, MAX_BODY_ROWS),
    'The number of rows that it must affect; otherwise the call gets 412.',
  ),
  message: property(
    anyText,
    'The message of the error if it affects another number of rows (CAT412), or breaks a rule of a field (23514).',
  ),
} as const;

export const ACTION = {
  parameters: property(
    namesTo(
      propertiesOr(typeName, 'type', ACTION_PARAMETER, say`a map with type and rules`),
      say`parameters`,
      MAX_QUERY_PARAMETERS,
      fieldName,
    ),
    'The parameters. Each is a type, or a map as below.',
  ),
  batch: property(
    listOf(propertiesOf(ACTION_ENTRY, say`a map with method and path`), say`a list of writes`),
    'The writes, in order, in one transaction.',
    true,
  ),
  returns: property(
    either(aName, listOf(aName, say`a list of names`)),
    'The entry whose stored row a call returns. A list of names returns an object. Default: nothing.',
  ),
  description: FIELD.description,
} as const;

export const FUNCTION_PARAMETER = {
  type: property(typeName, 'The type of the values.', true),
  optional: property(trueOrFalse, 'The function has a default for it.'),
  variadic: property(trueOrFalse, 'The last parameter, an array: it takes any number of values.'),
} as const;

export const RESULT = {
  collection: property(aName, 'It returns rows of this collection, so filters, embedding and rules apply.'),
  type: property(typeName, 'It returns a value.'),
  mediaType: property(anyText, 'The value is the body of the answer, in this media type, if the client accepts it.'),
  fields: property(
    namesTo(typeName, say`columns`, MAX_FIELDS, aName, say`a map from names to types`),
    'It returns these columns.',
  ),
  many: property(trueOrFalse, 'It returns a list.'),
} as const;

export const FUNCTION = {
  parameters: property(
    namesTo(
      propertiesOr(typeName, 'type', FUNCTION_PARAMETER, say`a map with type, optional and variadic`),
      say`parameters`,
      MAX_QUERY_PARAMETERS,
      aName,
    ),
    'The parameters. Each is a type, or a map as below.',
  ),
  body: property(oneWordOf(BODY_TYPES), 'The type of its only parameter, without a name: it takes the whole body.'),
  bodyOptional: property(trueOrFalse, 'That parameter has a default.'),
  volatility: property(oneWordOf(VOLATILITIES), 'As in the database. Default: volatile, so POST may change data.'),
  returns: property(propertiesOf(RESULT, say`a map with collection, type or fields, and many`), 'Default: nothing.'),
  description: FIELD.description,
} as const;

export const aFunction = propertiesOf(FUNCTION, say`a map with parameters, volatility and returns`);

export type GivenFunction = Given<typeof FUNCTION>;
export type GivenQuery = Given<typeof QUERY>;
export type GivenAction = Given<typeof ACTION>;
export type GivenActionEntry = Given<typeof ACTION_ENTRY>;
export type GivenActionParameter = Given<typeof ACTION_PARAMETER>;
