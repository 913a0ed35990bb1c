/**
 * The format of a declaration: its keys at every level, their values and meanings. The reader, the JSON Schema and
 * a test of the reference pages (docs/reference/) use these tables.
 */

import { ApiError } from '../base/errors.ts';
import {
  MAX_COLLECTIONS,
  MAX_FIELDS,
  MAX_QUERIES,
  MAX_QUERY_PARAMETERS,
  MAX_ROLES,
  MAX_WEBHOOKS,
} from '../base/limits/declaration.ts';
import { MAX_FILE_BYTES, MAX_FILES_IN_LIST } from '../base/limits/files.ts';
import { MAX_BODY_ROWS } from '../base/limits/http.ts';
import { parseRate, RATE_FORM } from '../base/net/rate.ts';
import { BODY_TYPES, CHANGE_KINDS, FIELD_ROLES, type OnDelete, type Right, VOLATILITIES } from '../collection/draft.ts';
import { CHANGE_WAYS } from '../collection/types/operations.ts';
import type { Type } from '../collection/types/type.ts';
import { BATCH_WRITES } from '../http/batch-call.ts';
import { compileRegex } from '../text/regex.ts';
import { anyName, collectionName, fieldName, roleName } from './names.ts';
import { namesTo, propertiesAndNames, propertiesOf } from './reader/maps.ts';
import {
  type At,
  addMistake,
  anyText,
  asWritten,
  either,
  type Given,
  type JsonSchema,
  listOf,
  map,
  oneWordOf,
  onlyTrue,
  type Property,
  type Shape,
  trueOrFalse,
  wholeNumber,
} from './reader/shape.ts';
import { typeName } from './reader/type-name.ts';

const ON_DELETE: readonly OnDelete[] = ['restrict', 'cascade', 'set null'];
/** The longest text that a rule may require; PostgreSQL's limit of varchar(n). */
const MAX_LENGTH = 10_485_760;

/** The default key. */
export const USUAL_KEY = 'id';
/** Declares that rows have no key. */
export const NO_KEY = 'none';

const aName = { ...anyText, words: 'a name' };
const fieldNames = listOf(aName, 'a list of fields');
const aScalar = asWritten(['text', 'number'], 'a number or a text', { type: ['number', 'string'] });

const regularExpression: Shape<string> = {
  ...anyText,
  words: 'a regular expression',
  read: (node, reading, what) => {
    const pattern = anyText.read(node, reading, what);
    if (pattern === undefined) return undefined;
    try {
      compileRegex(pattern, false);
      return pattern;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return addMistake(
        reading,
        node.at,
        `${what}: ${error.message}${error.details === null ? '' : `; ${error.details}`}`,
      );
    }
  },
};

const mediaType: Shape<string> = {
  ...anyText,
  words: 'a media type',
  read: (node, reading, what) => {
    const text = anyText.read(node, reading, what);
    if (text === undefined || /^[a-z]+\/(\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/.test(text)) return text;
    return addMistake(reading, node.at, `${what}: ${text} is not a media type, such as image/png or image/*`);
  },
};

export const REFERENCE = {
  collection: property(aName, 'The collection whose key the field holds.', true),
  onDelete: property(oneWordOf(ON_DELETE), 'Effect of a delete: fail (default), delete this row, or set null.'),
  constraint: property(aName, 'The name of the constraint. Default: `<collection>_<field>_fkey`.'),
} as const;

export const LINK = {
  fields: property(fieldNames, 'The fields.', true),
  collection: property(aName, 'The collection that it leads to.', true),
  to: property(fieldNames, 'The fields there with the same values. Default: the key.'),
  onDelete: property(oneWordOf(ON_DELETE), 'As in a field. Only for several fields that hold a key.'),
  constraint: property(aName, 'The name of the constraint, and for hints. Default: `<collection>_<fields>_fkey`.'),
} as const;

export const FIELD = {
  type: property(typeName, 'The type of the values.', true),
  required: property(trueOrFalse, 'Never null. Without a default, a new row must give a value.'),
  default: property(
    asWritten(['text', 'number', 'boolean', 'list', 'map'], 'a value', {}),
    'The value if a new row gives none. `now` is the present moment, `uuid` a random uuid, `{reference.field}` a [copy](#copied-values).',
  ),
  unique: property(trueOrFalse, 'No two rows have the same value.'),
  indexed: property(trueOrFalse, 'Creates an index for filters and order.'),
  references: property(
    either(
      map(aName, (collection, at) => ({ collection: { value: collection, at } })),
      propertiesOf(REFERENCE, 'a map with collection, onDelete and constraint'),
    ) as Shape<Given<typeof REFERENCE>>,
    'The collection whose key the field holds.',
  ),
  minimum: property(aScalar, 'The smallest allowed number, date or time.'),
  maximum: property(aScalar, 'The largest allowed number, date or time.'),
  maxLength: property(wholeNumber(1, MAX_LENGTH), 'The maximum number of characters.'),
  pattern: property(regularExpression, 'The text must match this expression; syntax of the operator `match`.'),
  oneOf: property(listOf(aScalar, 'a list of values'), 'The allowed values.'),
  mediaTypes: property(
    listOf(mediaType, 'a list of media types'),
    'The allowed media types of a file, such as `image/*`.',
  ),
  maxBytes: property(wholeNumber(1, MAX_FILE_BYTES), 'The maximum number of bytes of a file.'),
  keepMetadata: property(trueOrFalse, 'Uploaded pictures keep their place, time and other metadata.'),
  maxCount: property(wholeNumber(1, MAX_FILES_IN_LIST), 'The maximum number of files in a list.'),
  onUpdate: property(oneWordOf(['now']), 'Every write that changes the row sets this date or time.'),
  readOnly: property(trueOrFalse, 'Clients can read the field but not write it.'),
  filled: property(
    either(trueOrFalse, oneWordOf(['trigger'])),
    'The database fills in a missing value by its own default; `trigger`: a trigger may.',
  ),
  title: property(anyText, 'A short display name.'),
  description: property(anyText, 'A sentence that describes it.'),
  role: property(oneWordOf(FIELD_ROLES), 'Its use in the console; one field for each role.'),
  was: property(anyName, 'The previous name. The field is renamed and keeps its values.'),
} as const;

/** A field is a type name or a map. */
const field = either(
  map(typeName, (type, at) => ({ type: { value: type, at } })),
  propertiesOf(FIELD, 'a map with type'),
) as Shape<Given<typeof FIELD>>;

export const COMPUTED = {
  type: property(typeName, 'The function returns a value of this type.'),
  collection: property(aName, 'The function returns rows of this collection, for embedding.'),
  many: property(trueOrFalse, 'It returns a list of rows.'),
} as const;

export const COLLECTION = {
  fields: property(
    namesTo(field, {
      words: 'a map from field names to types',
      noun: 'fields',
      most: MAX_FIELDS,
      names: fieldName,
    }),
    'The fields in output order. Each is a type, or a map as below.',
    true,
  ),
  key: property(
    either(aName, fieldNames),
    'Primary key; default `id`. An absent integer is assigned, unless it is a reference. `none` serves an existing view or table without a key.',
  ),
  references: property(
    listOf(propertiesOf(LINK, 'a map with fields, collection, to, onDelete and constraint'), 'a list of references'),
    'References of several fields to a key. Others, such as those of a view, serve embedding; nothing enforces them.',
  ),
  computed: property(
    namesTo(
      either(
        map(typeName, (type, at) => ({ type: { value: type, at } })),
        propertiesOf(COMPUTED, 'a map with type, or collection and many'),
      ) as Shape<Given<typeof COMPUTED>>,
      { words: 'a map from names to functions of a row', noun: 'functions', most: MAX_FIELDS, names: aName },
    ),
    'Functions of PostgreSQL that take a row. They are not part of `*`.',
  ),
  unique: property(listOf(fieldNames, 'a list of lists of fields'), 'Combinations of fields that must be unique.'),
  rows: property(anyText, 'A JSON, NDJSON or CSV file. Its rows are stored once, when the table is created.'),
  history: property(trueOrFalse, 'Whether changes are logged. Default: true; false for an adopted table.'),
  title: FIELD.title,
  description: FIELD.description,
  was: property(anyName, 'The previous name. The collection is renamed and keeps its rows.'),
} as const;

/** The properties of a rule. */
export const RULE = {
  where: property(
    anyText,
    'A filter in the query language, also on [related rows](#references). `{claims.name}` inserts a claim, `{now}` the [time](#time).',
  ),
  fields: property(fieldNames, 'The allowed fields. Default: all.'),
  operations: property(
    listOf(oneWordOf(CHANGE_WAYS), 'a list of operations'),
    `For \`update\`: how the fields may change, by ${CHANGE_WAYS.map((way) => `\`${way}\``).join(', ')}. Default: all.`,
  ),
} as const;

const rule = either(
  map(onlyTrue, () => ({})),
  propertiesOf({ where: RULE.where, fields: RULE.fields }, 'a map with where and fields'),
) as Shape<Given<typeof RULE>>;

const updating = either(
  map(onlyTrue, () => ({})),
  propertiesOf(RULE, 'a map with where, fields and operations'),
) as Shape<Given<typeof RULE>>;

const deleting = either(
  map(onlyTrue, () => ({})),
  propertiesOf({ where: RULE.where }, 'a map with where'),
) as Shape<Given<typeof RULE>>;

export const RIGHTS = {
  read: property(rule, 'The rows and fields that the role can see. Include the key.'),
  create: property(rule, 'The rows that the role may create, and the fields that it may set.'),
  update: property(updating, 'Rows that the role may change (before and after), and the fields.'),
  delete: property(deleting, 'The rows that the role may delete.'),
  manage: property(
    listOf(aName, 'a list of roles'),
    'For `users`: the role creates, disables and resets users of these roles.',
  ),
} as const satisfies Readonly<Record<Right | 'manage', Property<unknown>>>;

const rate: Shape<string> = {
  ...anyText,
  words: RATE_FORM,
  read: (node, reading, what) => {
    const text = anyText.read(node, reading, what);
    if (text === undefined || parseRate(text) !== undefined) return text;
    return addMistake(reading, node.at, `${what} must be ${RATE_FORM}`);
  },
};

export const ROLE = {
  rateLimit: property(rate, 'Replaces `--rate-limit`. Not inherited.'),
  include: property(listOf(aName, 'a list of roles'), 'Roles whose rules this role inherits.'),
  call: property(
    listOf(aName, 'a list of names'),
    'Queries, functions and actions that the role may call. Its rules limit the rows of queries and functions, but not what an action writes.',
  ),
} as const;

/** A role: its keys, and its rights by collection. */
const role = either(
  oneWordOf(['all']),
  propertiesAndNames(ROLE, {
    shape: propertiesOf(RIGHTS, 'a map with read, create, update and delete'),
    words: 'a map from collections to permissions',
  }),
);

export const PARAMETER = {
  type: property(typeName, 'The type of the values.', true),
  default: property(FIELD.default.shape, 'The value if a call gives none. Without a default, a call must give one.'),
  description: FIELD.description,
} as const;

export const QUERY = {
  parameters: property(
    namesTo(
      either(
        map(typeName, (type, at) => ({ type: { value: type, at } })),
        propertiesOf(PARAMETER, 'a map with type and default'),
      ) as Shape<Given<typeof PARAMETER>>,
      { words: 'a map from names to parameters', noun: 'parameters', most: MAX_QUERY_PARAMETERS, names: fieldName },
    ),
    'The parameters. Each is a type, or a map as below.',
  ),
  read: property(anyText, 'Path and query of a list. `{parameter}` as a value inserts an argument.', true),
  description: FIELD.description,
} as const;

const ROWS = 'rows';

/** The type of a value, or `rows`. */
const parameterType: Shape<Type | typeof ROWS> = {
  ...typeName,
  words: 'the name of a type, or rows',
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
      either(
        map(typeName, (type, at) => ({ type: { value: type, at } })),
        propertiesOf(VALUE_PARAMETER, 'a map with type and rules'),
      ) as Shape<Given<typeof VALUE_PARAMETER>>,
      { words: 'a map from names to types', noun: 'fields', most: MAX_FIELDS, names: fieldName },
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
    namesTo(anyText, { words: 'a map from names to texts', noun: 'headers', most: MAX_FIELDS, names: anyName }),
    'The header `Prefer`, as in a batch.',
  ),
  body: property(
    asWritten(['text', 'number', 'boolean', 'null', 'list', 'map'], 'a value', {}),
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
      either(
        map(typeName, (type, at) => ({ type: { value: type, at } })),
        propertiesOf(ACTION_PARAMETER, 'a map with type and rules'),
      ) as Shape<Given<typeof ACTION_PARAMETER>>,
      { words: 'a map from names to parameters', noun: 'parameters', most: MAX_QUERY_PARAMETERS, names: fieldName },
    ),
    'The parameters. Each is a type, or a map as below.',
  ),
  batch: property(
    listOf(propertiesOf(ACTION_ENTRY, 'a map with method and path'), 'a list of writes'),
    'The writes, in order, in one transaction.',
    true,
  ),
  returns: property(
    either(aName, listOf(aName, 'a list of names')),
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
    namesTo(typeName, {
      words: 'a map from names to types',
      noun: 'columns',
      most: MAX_FIELDS,
      names: aName,
    }),
    'It returns these columns.',
  ),
  many: property(trueOrFalse, 'It returns a list.'),
} as const;

export const FUNCTION = {
  parameters: property(
    namesTo(
      either(
        map(typeName, (type, at) => ({ type: { value: type, at } })),
        propertiesOf(FUNCTION_PARAMETER, 'a map with type, optional and variadic'),
      ) as Shape<Given<typeof FUNCTION_PARAMETER>>,
      { words: 'a map from names to parameters', noun: 'parameters', most: MAX_QUERY_PARAMETERS, names: aName },
    ),
    'The parameters. Each is a type, or a map as below.',
  ),
  body: property(oneWordOf(BODY_TYPES), 'The type of its only parameter, without a name: it takes the whole body.'),
  volatility: property(oneWordOf(VOLATILITIES), 'As in the database. Default: volatile, so POST may change data.'),
  returns: property(propertiesOf(RESULT, 'a map with collection, type or fields, and many'), 'Default: nothing.'),
  description: FIELD.description,
} as const;

const aFunction = propertiesOf(FUNCTION, 'a map with parameters, volatility and returns');

export const WEBHOOK = {
  url: property(anyText, 'The address of the receiver: https, or http within `--webhook-networks`.', true),
  collections: property(listOf(aName, 'a list of collections'), 'Default: all collections that are logged.'),
  kinds: property(listOf(oneWordOf(CHANGE_KINDS), 'a list of kinds'), 'insert, update, delete. Default: all.'),
  where: property(anyText, 'A filter in the query language: the rows whose changes are sent.'),
  secret: property(anyText, 'The key of the signature: `whsec_` and base64, or `{env.NAME}`.', true),
} as const;

export const TOP = {
  $schema: property(anyText, 'The JSON Schema of this format, for editors.'),
  collections: property(
    namesTo(propertiesOf(COLLECTION, 'a map with fields'), {
      words: 'a map from names to collections',
      noun: 'collections',
      most: MAX_COLLECTIONS,
      names: collectionName,
    }),
    'The collections, each at the path of its name.',
    true,
  ),
  roles: property(
    namesTo(role, {
      words: 'a map from names to roles',
      noun: 'roles',
      most: MAX_ROLES,
      names: roleName,
    }),
    'Permissions. Without roles, every client may do everything.',
  ),
  queries: property(
    namesTo(propertiesOf(QUERY, 'a map with parameters and read'), {
      words: 'a map from names to queries',
      noun: 'queries',
      most: MAX_QUERIES,
      names: anyName,
    }),
    'Stored requests with parameters, each at `/rpc/<name>`.',
  ),
  actions: property(
    namesTo(propertiesOf(ACTION, 'a map with parameters, batch and returns'), {
      words: 'a map from names to actions',
      noun: 'actions',
      most: MAX_QUERIES,
      names: anyName,
    }),
    'Stored batches with parameters, each at `/rpc/<name>`.',
  ),
  functions: property(
    namesTo(
      either(
        map(aFunction, (given, at) => [{ value: given, at }]),
        listOf(aFunction, 'a list of functions of one name'),
      ) as Shape<readonly At<Given<typeof FUNCTION>>[]>,
      { words: 'a map from names to functions', noun: 'functions', most: MAX_QUERIES, names: aName },
    ),
    'Functions of PostgreSQL, each at `/rpc/<name>`.',
  ),
  webhooks: property(
    namesTo(propertiesOf(WEBHOOK, 'a map with url and secret'), {
      words: 'a map from names to webhooks',
      noun: 'webhooks',
      most: MAX_WEBHOOKS,
      names: roleName,
    }),
    'Receivers of changes, by HTTP.',
  ),
} as const;

/** User-defined keys at the top level, for anchors. */
const OWN_KEYS = 'x-';

export const FORMAT = propertiesOf(TOP, 'a map with collections', OWN_KEYS);

export type GivenField = Given<typeof FIELD>;
export type GivenCollection = Given<typeof COLLECTION>;
export type GivenRights = Given<typeof RIGHTS>;
export type GivenFunction = Given<typeof FUNCTION>;
export type GivenQuery = Given<typeof QUERY>;
export type GivenAction = Given<typeof ACTION>;
export type GivenActionEntry = Given<typeof ACTION_ENTRY>;
export type GivenActionParameter = Given<typeof ACTION_PARAMETER>;
export type GivenWebhook = Given<typeof WEBHOOK>;
export type GivenRole = NonNullable<ReturnType<typeof role.read>>;

function property<T>(shape: Shape<T>, about: string, isRequired = false): Property<T> {
  return { shape, about, isRequired };
}

/** The JSON Schema of declarations for editors, generated from the reader's tables. */
export function declarationSchema(): JsonSchema {
  return {
    // The draft that YAML editors support.
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Collections of a catalogue',
    ...FORMAT.schema(),
  };
}
