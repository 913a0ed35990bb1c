/** The format of collections and their fields. */
import { ApiError, onError } from '../base/errors.ts';
import { MAX_FIELDS, MAX_SEARCH_FIELDS, MAX_SEARCH_WEIGHT } from '../base/limits/declaration.ts';
import { MAX_FILE_BYTES, MAX_FILES_IN_LIST } from '../base/limits/files.ts';
import { about, say } from '../base/sentence.ts';
import { FIELD_ROLES, type OnDelete } from '../collection/draft.ts';
import { canonicalTag } from '../collection/languages.ts';
import { compileRegex } from '../text/regex.ts';
import { LANGUAGES } from '../text/words/languages.ts';
import { anyName, collectionName, fieldName } from './names.ts';
import { namesTo, propertiesOf, propertiesOr } from './reader/maps.ts';
import {
  anyText,
  asWritten,
  checkedText,
  either,
  type Given,
  listOf,
  map,
  oneWordOf,
  property,
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

export const aName = { ...anyText, words: say`a name` };
export const fieldNames = listOf(aName, say`a list of fields`);
const aScalar = asWritten(['text', 'number'], say`a number or a text`, { type: ['number', 'string'] });

const regularExpression = checkedText(say`a regular expression`, (pattern, what) => {
  const compile = () => void compileRegex(pattern, false);
  return onError(ApiError, compile, (error) => about(what, error.withDetails()));
});

const MEDIA_TYPE = /^[a-z]+\/(\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/;

export const mediaType = checkedText(say`a media type`, (text, what) =>
  MEDIA_TYPE.test(text) ? undefined : about(what, say`${text} is not a media type, such as image/png or image/*`),
);

export const languageTag = map(
  checkedText(say`a language`, (text, what) =>
    canonicalTag(text) === undefined ? about(what, say`${text} is not a language, such as de or pt-BR`) : undefined,
  ),
  (text) => canonicalTag(text)!,
);

export const TRANSLATION = {
  language: property(languageTag, 'The language of the translation, such as `pt-BR`.', true),
  was: property(languageTag, 'The previous language. The translations are renamed and keep their values.'),
} as const;

export const REFERENCE = {
  collection: property(aName, 'The collection whose key the field holds.', true),
  onDelete: property(oneWordOf(ON_DELETE), 'Effect of a delete: fail (default), delete this row, or set null.'),
  constraint: property(aName, 'The name of the constraint. Default: `<collection>_<field>_fkey`.'),
  circles: property(trueOrFalse, 'Rows of this collection may refer to each other in a circle. Default: false.'),
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
    asWritten(['text', 'number', 'boolean', 'list', 'map'], say`a value`, {}),
    'The value if a new row gives none. `now` is the present moment, `uuid` a random uuid, `{reference.field}` a [copy](#copied-values).',
  ),
  unique: property(trueOrFalse, 'No two rows have the same value.'),
  indexed: property(trueOrFalse, 'Creates an index for filters and order.'),
  references: property(
    propertiesOr(aName, 'collection', REFERENCE, say`a map with collection, onDelete, constraint and circles`),
    'The collection whose key the field holds.',
  ),
  minimum: property(aScalar, 'The smallest allowed number, date or time.'),
  maximum: property(aScalar, 'The largest allowed number, date or time.'),
  maxLength: property(wholeNumber(1, MAX_LENGTH), 'The maximum number of characters.'),
  pattern: property(regularExpression, 'The text must match this expression; syntax of the operator `match`.'),
  oneOf: property(listOf(aScalar, say`a list of values`), 'The allowed values.'),
  mediaTypes: property(
    listOf(mediaType, say`a list of media types`),
    'The allowed media types of a file, such as `image/*`.',
  ),
  maxBytes: property(wholeNumber(1, MAX_FILE_BYTES), 'The maximum number of bytes of a file.'),
  keepMetadata: property(trueOrFalse, 'Uploaded pictures keep their place, time and other metadata.'),
  maxCount: property(wholeNumber(1, MAX_FILES_IN_LIST), 'The maximum number of files in a list.'),
  onUpdate: property(oneWordOf(['now']), 'Every write that changes the row sets this date or time.'),
  computed: property(
    asWritten(['text'], say`an expression`, { type: 'string', minLength: 1 }),
    'The [expression](computed-fields.md) that computes the field from others of the row, such as `price - cost`.',
  ),
  readOnly: property(trueOrFalse, 'Clients can read the field but not write it.'),
  filled: property(
    either(trueOrFalse, oneWordOf(['trigger'])),
    'The database fills in a missing value by its own default; `trigger`: a trigger may.',
  ),
  translations: property(
    listOf(propertiesOr(languageTag, 'language', TRANSLATION, say`a map with language`), say`a list of languages`),
    'The languages of [translations](../how-to/translate-fields.md), such as `[de, fr]`. Each is a field of its own, such as `name_de`.',
  ),
  title: property(anyText, 'A short display name.'),
  description: property(anyText, 'A sentence that describes it.'),
  role: property(oneWordOf(FIELD_ROLES), 'Its use in the console; one field for each role.'),
  was: property(anyName, 'The previous name. The field is renamed and keeps its values.'),
} as const;

/** A field is a type name or a map. */
const field = propertiesOr(typeName, 'type', FIELD, say`a map with type`);

export const COMPUTED = {
  type: property(typeName, 'The function returns a value of this type.'),
  collection: property(aName, 'The function returns rows of this collection, for embedding.'),
  many: property(trueOrFalse, 'It returns a list of rows.'),
} as const;

export const SEARCH = {
  fields: property(
    namesTo(
      wholeNumber(1, MAX_SEARCH_WEIGHT),
      say`fields`,
      MAX_SEARCH_FIELDS,
      aName,
      say`a map from fields to weights`,
    ),
    'The texts, each with its weight: a field, or a field that a reference leads to, such as `brand_id.name`.',
    true,
  ),
  language: property(oneWordOf(LANGUAGES), 'The language of word forms. Default: `simple`, which has none.'),
} as const;

export const COLLECTION = {
  fields: property(
    namesTo(field, say`fields`, MAX_FIELDS, fieldName, say`a map from field names to types`),
    'The fields in output order. Each is a type, or a map as below.',
    true,
  ),
  key: property(
    either(aName, fieldNames),
    'Primary key; default `id`. An absent integer is assigned, unless it is a reference. `none` serves an existing view or table without a key.',
  ),
  references: property(
    listOf(
      propertiesOf(LINK, say`a map with fields, collection, to, onDelete and constraint`),
      say`a list of references`,
    ),
    'References of several fields to a key. Others, such as those of a view, serve embedding; nothing enforces them.',
  ),
  computed: property(
    namesTo(
      propertiesOr(typeName, 'type', COMPUTED, say`a map with type, or collection and many`),
      say`functions`,
      MAX_FIELDS,
      aName,
      say`a map from names to functions of a row`,
    ),
    'Functions of PostgreSQL that take a row. They are not part of `*`.',
  ),
  unique: property(listOf(fieldNames, say`a list of lists of fields`), 'Combinations of fields that must be unique.'),
  rows: property(anyText, 'A JSON, NDJSON or CSV file. Its rows are stored once, when the table is created.'),
  history: property(trueOrFalse, 'Whether changes are logged. Default: true; false for an adopted table.'),
  comments: property(
    collectionName,
    'The name of a collection of [comments](../how-to/comment-on-rows.md) on the rows, which the service adds.',
  ),
  search: property(propertiesOf(SEARCH, say`a map with fields and language`), 'The [search](search.md) by words.'),
  title: FIELD.title,
  description: FIELD.description,
  was: property(anyName, 'The previous name. The collection is renamed and keeps its rows.'),
} as const;

export type GivenField = Given<typeof FIELD>;
export type GivenCollection = Given<typeof COLLECTION>;
