/** Query parameters other than filters, and request headers, from the tables of the dialect. */

import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../base/limits/http.ts';
import { type Collection, type Field, uniqueSets } from '../collection/declaration.ts';
import { storeJson } from '../collection/types/type.ts';
import type { Row } from '../collection/value.ts';
import { versionOfText } from '../collection/version.ts';
import { CHOICES } from '../dialect/prefer.ts';
import { printName } from '../dialect/print.ts';
import type { PARAMETERS } from '../dialect/query.ts';
import { AGGREGATES } from '../dialect/tree.ts';
import { componentName, own } from './component.ts';
import { embeddingNames, embeddingWords } from './embedding.ts';
import type { JsonObject } from './json.ts';
import { changedFields, givenFields, keyNames, type Samples, textIn } from './samples.ts';
import { descriptionOf } from './schemas.ts';
import { valueSchema } from './value-schema.ts';

/** Parameters that are the same for every collection. */
type Shared = 'limit' | 'offset';

/** All parameters other than filters. A new parameter without an entry does not compile. */
export function dialectParameters(
  collection: Collection,
): Record<Exclude<(typeof PARAMETERS)[number], Shared> | 'columns.new' | 'columns.whole', JsonObject> {
  const { fields, key } = collection;
  const first = key[0] ?? fields[0]!;
  const other = fields.find((field) => field !== first) ?? first;
  const aggregates = AGGREGATES.map((name) => `\`field.${name}()\``).join(', ');
  const [embedded] = embeddingNames(collection).keys();
  const targets = uniqueSets(collection).map(namesOf);
  const inputFields = givenFields(collection.view?.creates ?? collection);
  return {
    select: query(
      'select',
      `Columns to return, \`[alias:]field[::type]\`, and aggregates: \`count()\`, ${aggregates}. Fields beside aggregates group them. The default is all fields.${embeddingWords(collection)}`,
      { type: 'string' },
      `${printName(first.name)},${printName(other.name)}`,
      ...(embedded === undefined ? [] : [`*,${embedded}(*)`]),
    ),
    order: query(
      'order',
      `Sort keys: \`field[.asc|.desc][.nullsfirst|.nullslast]\`, separated by commas. ${key.length === 0 ? 'Rows have no default order.' : `The last sort key, and the default order, is ${keyNames(collection)}.`}`,
      { type: 'string' },
      `${printName(other.name)}.desc.nullslast`,
    ),
    columns: columns(changedFields(collection.view?.updates ?? collection)),
    'columns.new': columns(inputFields),
    /** The body of a replacement also contains the key. */
    'columns.whole': columns([...new Set([...key, ...inputFields])]),
    on_conflict: query(
      'on_conflict',
      targets.length === 0
        ? 'Not for this collection: no field of it is declared unique.'
        : `The unique fields that \`Prefer: resolution=…\` compares, or by which the objects of a PATCH name their rows: ${targets.map((names) => `\`${names}\``).join(', ')}.${key.length === 0 ? '' : ' The default is the key.'}`,
      { type: 'string', ...(targets.length === 0 ? {} : { enum: targets }) },
      ...targets.slice(0, 1),
    ),
  };
}

/** The parameters that identify the row of PUT, in the query and in the path. */
export function keyParameters({ key }: Collection, [sample]: Samples): Record<string, JsonObject> {
  const inQuery = key.map((field): [string, JsonObject] => [
    keyEq(field),
    {
      name: printName(field.name),
      in: 'query',
      required: true,
      description: `The row to replace, or to create: \`eq.\` and its ${field.name}.`,
      schema: { type: 'string', pattern: '^eq\\.' },
      example: `eq.${textIn(sample, field)}`,
    },
  ]);
  const [first] = key;
  return {
    ...Object.fromEntries(inQuery),
    ...(key.length !== 1
      ? {}
      : {
          'key.path': {
            name: componentName(first!.name),
            in: 'path',
            required: true,
            description: descriptionOf(first!),
            schema: valueSchema(first!),
            example: sample[first!.name] ?? null,
          },
        }),
  };
}

/** The names of the parameters in the query. */
export function keyEqNames(collection: Collection): readonly string[] {
  return collection.key.map((field) => own(collection, keyEq(field)));
}

function keyEq({ name }: Field): string {
  return `key.${componentName(name)}.eq`;
}

function namesOf(fields: readonly Field[]): string {
  return fields.map(({ name }) => printName(name)).join(',');
}

function columns(fields: readonly Field[]): JsonObject {
  return query(
    'columns',
    'Fields to read from the body. The service ignores its other keys.',
    { type: 'string' },
    namesOf(fields),
  );
}

/** Conditional headers. The example is the version of the first row. */
export function versionParameters(collection: Collection, [sample]: Samples): Record<string, JsonObject> {
  const tag = `"${versionOfText(rowText(collection, sample))}"`;
  return {
    ...(collection.key.length !== 1
      ? {}
      : {
          'If-Match': header(
            'If-Match',
            'Write only if the row still has this version: the ETag of an earlier answer, or `*` for any.',
            { type: 'string' },
            tag,
          ),
        }),
    'If-None-Match': ifNoneMatch(tag),
  };
}

function ifNoneMatch(tag: string): JsonObject {
  return header('If-None-Match', 'Answer 304 without a body if the ETag is still the same.', { type: 'string' }, tag);
}

/** A row in the exact text of an answer. */
function rowText({ fields }: Collection, sample: Row): string {
  const cells = fields.map(({ name, type }) => {
    const value = storeJson(type, sample[name] ?? null);
    return `${JSON.stringify(name)}:${value === null ? 'null' : type.json(value)}`;
  });
  return `{${cells.join(',')}}`;
}

/** Parameters that are the same for every collection. */
export function sharedParameters(): Record<Shared | string, JsonObject> {
  const choices = Object.entries(CHOICES).map(
    ([name, values]) => `- \`${name}=${values.join('|')}\`: ${PREFERENCES[name as keyof typeof CHOICES]}`,
  );
  return {
    collection: {
      name: 'collection',
      in: 'path',
      required: true,
      description: 'The name of a collection.',
      schema: { type: 'string' },
    },
    limit: query('limit', 'Most rows to return.', { type: 'integer', minimum: 0 }, 10),
    offset: query('offset', 'Rows to skip.', { type: 'integer', minimum: 0 }, 0),
    Prefer: header(
      'Prefer',
      `Preferences (RFC 7240), separated by commas:\n\n${choices.join('\n')}\n- \`max-affected=<number>\`: with handling=strict, the service rejects a write of more rows\n- \`as-of=<time>\`: reads the rows as they were at that time, within the retention of the history\n- \`timezone=<name>\`: accepted; answers have times in UTC`,
      { type: 'string' },
      'count=exact',
      'return=representation',
    ),
    Range: header(
      'Range',
      'A page by row numbers, instead of limit and offset.',
      { type: 'string', pattern: '^\\d+-\\d*$' },
      '0-9',
    ),
    'If-None-Match': ifNoneMatch('"an-earlier-version"'),
    'If-None-Match.create': {
      name: 'If-None-Match',
      in: 'header',
      description: '`*`: create the row, and do not replace an existing one.',
      schema: { type: 'string', enum: ['*'] },
    },
    'If-Match.list': {
      name: 'If-Match',
      in: 'header',
      description: '`*`, with a list of changes: change nothing unless each row passes the filter.',
      schema: { type: 'string', enum: ['*'] },
    },
    'Idempotency-Key': header(
      'Idempotency-Key',
      'Makes a retry safe: the service writes once per key and repeats its answer.',
      { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH },
      'order-4711',
    ),
  };
}

const PREFERENCES: Readonly<Record<keyof typeof CHOICES, string>> = {
  resolution: 'whether to update or keep a row whose key exists',
  return: 'whether a write answers with the rows it wrote',
  count: 'count all matching rows, for Content-Range',
  missing: 'the value of a key that an object of the body omits',
  'missing-rows': 'whether a list of changes fails or continues if one of its rows does not exist',
  handling: 'whether to reject or ignore an unknown preference',
  tx: 'rollback: a dry run, which answers like the write and stores nothing',
  conflicts: 'whether an undo fails or leaves out rows that a later change touched',
  errors: 'all: validate every row of the body, and list all errors',
};

function query(
  name: string,
  description: string,
  schema: JsonObject,
  ...values: readonly (string | number)[]
): JsonObject {
  return { name, in: 'query', description, schema, ...exemplary(values) };
}

function header(name: string, description: string, schema: JsonObject, ...values: readonly string[]): JsonObject {
  return { name, in: 'header', description, schema, ...exemplary(values) };
}

function exemplary(values: readonly (string | number)[]): JsonObject {
  if (values.length === 1) return { example: values[0]! };
  return {
    examples: Object.fromEntries(values.map((value) => [String(value).replaceAll(/[^\w.-]/g, '-'), { value }])),
  };
}
