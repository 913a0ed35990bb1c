/**
 * The format of a declaration: its keys at every level, what each takes, and what it means. The reader, the JSON Schema for
 * editors and docs/collections.md are made from these tables.
 */
import { FIELD_ROLES, type OnDelete, type Right } from '../collection/draft.ts';
import { Refusal } from '../errors.ts';
import { MAX_COLLECTIONS, MAX_FIELDS, MAX_ROLES } from '../limits.ts';
import { parseRate, RATE_FORM } from '../rate.ts';
import { compileRegex } from '../text/regex.ts';
import { namesTo, propertiesAndNames, propertiesOf } from './maps.ts';
import { anyName, collectionName, fieldName, roleName } from './names.ts';
import {
  anyText,
  asWritten,
  either,
  type Given,
  listOf,
  map,
  oneWordOf,
  onlyTrue,
  type Property,
  type Shape,
  say,
  trueOrFalse,
  wholeNumber,
} from './shape.ts';
import { typeName } from './type-name.ts';

const ON_DELETE: readonly OnDelete[] = ['restrict', 'cascade', 'set null'];
/** Longest text that a rule may ask for; PostgreSQL's own bound of varchar(n). */
const MAX_LENGTH = 10_485_760;

/** The key where none is said. */
export const USUAL_KEY = 'id';

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
      if (!(error instanceof Refusal)) throw error;
      return say(reading, node.at, `${what}: ${error.message}${error.details === null ? '' : `; ${error.details}`}`);
    }
  },
};

export const REFERENCE = {
  collection: property(aName, 'The collection whose key the field holds.', true),
  onDelete: property(
    oneWordOf(ON_DELETE),
    'What happens when that row is deleted: it is refused (`restrict`, the default), this row is deleted, too (`cascade`), or the field becomes null (`set null`).',
  ),
  constraint: property(
    aName,
    'What the constraint is called, as a hint may name it; `<collection>_<field>_fkey` where it is not said.',
  ),
} as const;

export const FIELD = {
  type: property(typeName, 'What the field holds.', true),
  required: property(trueOrFalse, 'Never null; without a default it must be given.'),
  default: property(
    asWritten(['text', 'number', 'boolean', 'list', 'map'], 'a value', {}),
    'The value of a new row that gives none; `now` for a date or time, `uuid` for a uuid.',
  ),
  unique: property(trueOrFalse, 'No two rows have the same value.'),
  indexed: property(trueOrFalse, 'Often filtered or sorted by: an index keeps that quick.'),
  references: property(
    either(
      map(aName, (collection, at) => ({ collection: { value: collection, at } })),
      propertiesOf(REFERENCE, 'a map with collection, onDelete and constraint'),
    ) as Shape<Given<typeof REFERENCE>>,
    'The collection whose key the field holds.',
  ),
  minimum: property(aScalar, 'The least value of a number, date or time.'),
  maximum: property(aScalar, 'The greatest value of a number, date or time.'),
  maxLength: property(wholeNumber(1, MAX_LENGTH), 'The most characters of a text.'),
  pattern: property(regularExpression, 'A regular expression that a text matches, as the operator `match` reads it.'),
  oneOf: property(listOf(aScalar, 'a list of values'), 'The only values there are.'),
  onUpdate: property(oneWordOf(['now']), 'Set by every write that changes the row; for a date or time.'),
  readOnly: property(
    trueOrFalse,
    'Read, and never written by clients: a column that the database computes, or of a type that is none of these and is read as `text`.',
  ),
  filled: property(
    trueOrFalse,
    'Where nothing is given, the database fills it in by a default of its own: in a table that something else made.',
  ),
  title: property(anyText, 'A short name for people.'),
  description: property(anyText, 'What it is, in a sentence for people.'),
  role: property(oneWordOf(FIELD_ROLES), 'What the console makes of it; one field for each role.'),
  was: property(anyName, 'What the field was called before: it is renamed, and keeps its values.'),
} as const;

/** A field is its type, or a map. */
const field = either(
  map(typeName, (type, at) => ({ type: { value: type, at } })),
  propertiesOf(FIELD, 'a map with type'),
) as Shape<Given<typeof FIELD>>;

export const COLLECTION = {
  fields: property(
    namesTo(field, {
      words: 'a map from the names of fields to their types',
      noun: 'fields',
      most: MAX_FIELDS,
      names: fieldName,
    }),
    'In the order in which a row shows them; each is a type, or a map as below.',
    true,
  ),
  key: property(
    either(aName, fieldNames),
    'The field that identifies a row, or a list of fields; `id` by default. The service assigns an absent key if it is one `int4` or `int8` that is not a reference.',
  ),
  unique: property(listOf(fieldNames, 'a list of lists of fields'), 'Lists of fields that are unique together.'),
  rows: property(
    anyText,
    'A JSON, NDJSON or CSV file, relative to this one: its rows are stored once, when the table is made.',
  ),
  title: FIELD.title,
  description: FIELD.description,
  was: property(anyName, 'What the collection was called before: it is renamed, and keeps its rows.'),
} as const;

/** What a rule may say, by what it allows. */
export const RULE = {
  where: property(
    anyText,
    'Conditions in the dialect, as a query string has them: only rows that pass. `{claims.name}` is a value that the credentials of the caller give.',
  ),
  fields: property(fieldNames, 'Only these fields; all of them where it is not said.'),
} as const;

const rule = either(
  map(onlyTrue, () => ({})),
  propertiesOf(RULE, 'a map with where and fields'),
) as Shape<Given<typeof RULE>>;

const deleting = either(
  map(onlyTrue, () => ({})),
  propertiesOf({ where: RULE.where }, 'a map with where'),
) as Shape<Given<typeof RULE>>;

export const RIGHTS = {
  read: property(rule, 'Rows that are there for the role, and the fields that it may name; the key is one of them.'),
  create: property(rule, 'Rows that it may make, and the fields that it may give them.'),
  update: property(rule, 'Rows that it may change, before and after, and the fields that it may change.'),
  delete: property(deleting, 'Rows that it may delete.'),
} as const satisfies Readonly<Record<Right, Property<unknown>>>;

const rate: Shape<string> = {
  ...anyText,
  words: RATE_FORM,
  read: (node, reading, what) => {
    const text = anyText.read(node, reading, what);
    if (text === undefined || parseRate(text) !== undefined) return text;
    return say(reading, node.at, `${what} must be ${RATE_FORM}`);
  },
};

export const ROLE = {
  rateLimit: property(rate, 'How often each caller of the role may come, in place of `--rate-limit`; not included.'),
  include: property(listOf(aName, 'a list of roles'), 'Roles whose rules it has, too.'),
} as const;

/** What a role says beside its keys: by the names of collections, what it may do there. */
const role = either(
  oneWordOf(['all']),
  propertiesAndNames(ROLE, {
    shape: propertiesOf(RIGHTS, 'a map with read, create, update and delete'),
    words: 'a map from the names of collections to what the role may do there',
  }),
);

export const TOP = {
  $schema: property(anyText, 'The JSON Schema of this format, for editors.'),
  collections: property(
    namesTo(propertiesOf(COLLECTION, 'a map with fields'), {
      words: 'a map from the names of collections to what they are',
      noun: 'collections',
      most: MAX_COLLECTIONS,
      names: collectionName,
    }),
    'The collections, each at the path of its name.',
    true,
  ),
  roles: property(
    namesTo(role, {
      words: 'a map from the names of roles to what they may do',
      noun: 'roles',
      most: MAX_ROLES,
      names: roleName,
    }),
    'Who may do what; where it is not said, whoever reaches the service may do all.',
  ),
} as const;

/** At the top, keys of the user's own: places for anchors, which aliases refer to. */
export const OWN_KEYS = 'x-';

export const FORMAT = propertiesOf(TOP, 'a map with collections', OWN_KEYS);

export type GivenField = Given<typeof FIELD>;
export type GivenCollection = Given<typeof COLLECTION>;
export type GivenRights = Given<typeof RIGHTS>;
export type GivenRole = NonNullable<ReturnType<typeof role.read>>;

function property<T>(shape: Shape<T>, about: string, isRequired = false): Property<T> {
  return { shape, about, isRequired };
}
