/**
 * The format of a declaration: its keys at every level, their values and meanings. The reader, the JSON Schema and
 * a test of the reference pages (docs/reference/) use these tables.
 */
import { MAX_COLLECTIONS, MAX_QUERIES, MAX_ROLES, MAX_WEBHOOKS } from '../base/limits/declaration.ts';
import { parseRate, RATE_FORM } from '../base/net/rate.ts';
import { type Sentence, say } from '../base/sentence.ts';
import { CHANGE_KINDS, type Right } from '../collection/draft.ts';
import { CHANGE_WAYS } from '../collection/types/operations.ts';
import { aName, COLLECTION, fieldNames, languageTag } from './collection-format.ts';
import { anyName, collectionName, roleName } from './names.ts';
import { namesTo, propertiesAndNames, propertiesOf } from './reader/maps.ts';
import {
  type At,
  anyText,
  checkedText,
  either,
  type Given,
  type JsonSchema,
  listOf,
  map,
  oneWordOf,
  onlyTrue,
  type Properties,
  type Property,
  property,
  type Shape,
} from './reader/shape.ts';
import { ACTION, aFunction, type FUNCTION, QUERY } from './routine-format.ts';

export * from './collection-format.ts';
export * from './routine-format.ts';

export const RULE = {
  where: property(
    anyText,
    'A filter in the query language, also on [related rows](#references). `{claims.name}` inserts a claim, `{now}` the [time](#time).',
  ),
  fields: property(fieldNames, 'The allowed fields. Default: all.'),
  operations: property(
    listOf(oneWordOf(CHANGE_WAYS), say`a list of operations`),
    `For \`update\`: how the fields may change, by ${CHANGE_WAYS.map((way) => `\`${way}\``).join(', ')}. Default: all.`,
  ),
} as const;

/** `true`, or a map with some properties of a rule. */
function ruleOf(properties: Properties, words: Sentence): Shape<Given<typeof RULE>> {
  return either(
    map(onlyTrue, () => ({})),
    propertiesOf(properties, words),
  ) as Shape<Given<typeof RULE>>;
}

const { where, fields } = RULE;
const rule = ruleOf({ where, fields }, say`a map with where and fields`);

export const RIGHTS = {
  read: property(rule, 'The rows and fields that the role can see. Include the key.'),
  create: property(rule, 'The rows that the role may create, and the fields that it may set.'),
  update: property(
    ruleOf(RULE, say`a map with where, fields and operations`),
    'Rows that the role may change (before and after), and the fields.',
  ),
  delete: property(ruleOf({ where }, say`a map with where`), 'The rows that the role may delete.'),
  manage: property(
    listOf(aName, say`a list of roles`),
    'For `users`: the role creates, disables and resets users of these roles.',
  ),
} as const satisfies Readonly<Record<Right | 'manage', Property<unknown>>>;

const rate = checkedText(RATE_FORM, (text, what) => {
  return parseRate(text) === undefined ? say`${what} must be ${RATE_FORM}` : undefined;
});

export const ROLE = {
  rateLimit: property(rate, 'Replaces `--rate-limit`. Not inherited.'),
  include: property(listOf(aName, say`a list of roles`), 'Roles whose rules this role inherits.'),
  call: property(
    listOf(aName, say`a list of names`),
    'Queries, functions and actions that the role may call. Its rules limit the rows of queries and functions, but not what an action writes.',
  ),
} as const;

/** A role: its keys, and its rights by collection. */
const role = either(
  oneWordOf(['all']),
  propertiesAndNames(ROLE, {
    shape: propertiesOf(RIGHTS, say`a map with read, create, update and delete`),
    words: say`a map from collections to permissions`,
  }),
);

export const WEBHOOK = {
  url: property(anyText, 'The address of the receiver: https, or http within `--webhook-networks`.', true),
  collections: property(listOf(aName, say`a list of collections`), 'Default: all collections that are logged.'),
  kinds: property(listOf(oneWordOf(CHANGE_KINDS), say`a list of kinds`), 'insert, update, delete. Default: all.'),
  where: property(anyText, 'A filter in the query language: the rows whose changes are sent.'),
  secret: property(anyText, 'The key of the signature: `whsec_` and base64, or `{env.NAME}`.', true),
} as const;

export const TOP = {
  $schema: property(anyText, 'The JSON Schema of this format, for editors.'),
  collections: property(
    namesTo(propertiesOf(COLLECTION, say`a map with fields`), say`collections`, MAX_COLLECTIONS, collectionName),
    'The collections, each at the path of its name.',
    true,
  ),
  roles: property(
    namesTo(role, say`roles`, MAX_ROLES, roleName),
    'Permissions. Without roles, every client may do everything.',
  ),
  queries: property(
    namesTo(propertiesOf(QUERY, say`a map with parameters and read`), say`queries`, MAX_QUERIES, anyName),
    'Stored requests with parameters, each at `/rpc/<name>`.',
  ),
  actions: property(
    namesTo(propertiesOf(ACTION, say`a map with parameters, batch and returns`), say`actions`, MAX_QUERIES, anyName),
    'Stored batches with parameters, each at `/rpc/<name>`.',
  ),
  functions: property(
    namesTo(
      either(
        map(aFunction, (given, at) => [{ value: given, at }]),
        listOf(aFunction, say`a list of functions of one name`),
      ) as Shape<readonly At<Given<typeof FUNCTION>>[]>,
      say`functions`,
      MAX_QUERIES,
      aName,
    ),
    'Functions of PostgreSQL, each at `/rpc/<name>`.',
  ),
  language: property(languageTag, 'The language of fields that have translations; default `en`.'),
  webhooks: property(
    namesTo(propertiesOf(WEBHOOK, say`a map with url and secret`), say`webhooks`, MAX_WEBHOOKS, roleName),
    'Receivers of changes, by HTTP.',
  ),
} as const;

/** User-defined keys at the top level, for anchors. */
const OWN_KEYS = 'x-';

export const FORMAT = propertiesOf(TOP, say`a map with collections`, OWN_KEYS);

export type GivenRights = Given<typeof RIGHTS>;
export type GivenWebhook = Given<typeof WEBHOOK>;
export type GivenRole = NonNullable<ReturnType<typeof role.read>>;

/** The JSON Schema of declarations for editors, generated from the reader's tables. */
export function declarationSchema(): JsonSchema {
  return {
    // The draft that YAML editors support.
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Collections of a catalogue',
    ...FORMAT.schema(),
  };
}
