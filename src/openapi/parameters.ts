/** Query parameters that are no filters, and request headers, as the dialect's own tables name them. */
import type { Collection } from '../collection/declaration.ts';
import { versionOfText } from '../collection/version.ts';
import { CHOICES } from '../dialect/prefer.ts';
import type { PARAMETERS } from '../dialect/query.ts';
import { AGGREGATES } from '../dialect/tree.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../limits.ts';
import type { JsonObject } from './json.ts';
import { changedFields, type Samples } from './samples.ts';
import { valueSchema } from './schemas.ts';

/** Everything that is no filter: one entry each, so that a new parameter without one does not compile. */
export function dialectParameters(collection: Collection): Record<(typeof PARAMETERS)[number], JsonObject> {
  const { fields } = collection;
  const key = collection.key[0]!;
  const other = fields.find((field) => field !== key) ?? key;
  const aggregates = AGGREGATES.map((name) => `\`field.${name}()\``).join(', ');
  return {
    select: query(
      'select',
      `Columns to return, \`[alias:]field[::type]\`, and aggregates: \`count()\`, ${aggregates}. Fields beside aggregates group them. All fields where it is left out.`,
      { type: 'string' },
      `${key.name},${other.name}`,
    ),
    order: query(
      'order',
      `Sort keys: \`field[.asc|.desc][.nullsfirst|.nullslast]\`, separated by commas. Ties are always broken by ${key.name}, which is the order where it is left out.`,
      { type: 'string' },
      `${other.name}.desc.nullslast`,
    ),
    limit: query('limit', 'Most rows to return.', { type: 'integer', minimum: 0 }, 10),
    offset: query('offset', 'Rows to skip.', { type: 'integer', minimum: 0 }, 0),
    columns: columns(changedFields(collection).map(({ name }) => name)),
    on_conflict: query(
      'on_conflict',
      `The unique field that \`Prefer: resolution=…\` goes by: ${key.name}.`,
      { type: 'string', enum: [key.name] },
      key.name,
    ),
  };
}

/** What names the row of PUT, in the query and in the path. */
export function keyParameters(collection: Collection, [sample]: Samples): Record<string, JsonObject> {
  const key = collection.key[0]!;
  const value = sample[key.name] ?? null;
  return {
    'key.eq': {
      name: key.name,
      in: 'query',
      required: true,
      description: `The row to replace, or to create: \`eq.\` and its ${key.name}.`,
      schema: { type: 'string', pattern: '^eq\\.' },
      example: `eq.${value}`,
    },
    'key.path': {
      name: key.name,
      in: 'path',
      required: true,
      description: key.description ?? '',
      schema: valueSchema(key),
      example: value,
    },
    /** A row that is replaced is named in the body, too. */
    'columns.whole': columns([key.name, ...changedFields(collection).map(({ name }) => name)]),
    'If-None-Match.create': {
      name: 'If-None-Match',
      in: 'header',
      description: '`*`: create the row, and refuse to replace one that is there.',
      schema: { type: 'string', enum: ['*'] },
    },
  };
}

function columns(names: readonly string[]): JsonObject {
  return query(
    'columns',
    'Fields to read from the body; other keys in it are passed over.',
    { type: 'string' },
    names.join(','),
  );
}

export function headerParameters([sample]: Samples): Record<string, JsonObject> {
  const tag = `"${versionOfText(JSON.stringify(sample))}"`;
  const choices = Object.entries(CHOICES).map(
    ([name, values]) => `- \`${name}=${values.join('|')}\`: ${PREFERENCES[name as keyof typeof CHOICES]}`,
  );
  return {
    Prefer: header(
      'Prefer',
      `What the client would like (RFC 7240), separated by commas:\n\n${choices.join('\n')}\n- \`max-affected=<number>\`: with handling=strict, a write of more rows is refused\n- \`timezone=<name>\`: accepted; the fields hold no times`,
      { type: 'string' },
      'count=exact',
      'return=representation',
    ),
    Range: header(
      'Range',
      'The rows of a page by number, instead of limit and offset.',
      { type: 'string', pattern: '^\\d+-\\d*$' },
      '0-9',
    ),
    'If-Match': header(
      'If-Match',
      'Write only if the row has this version still: the ETag of an earlier answer, or `*` for any.',
      { type: 'string' },
      tag,
    ),
    'If-None-Match': header(
      'If-None-Match',
      'Answer 304 without a body if the ETag is this one still.',
      { type: 'string' },
      tag,
    ),
    'Idempotency-Key': header(
      'Idempotency-Key',
      'Makes a retry safe: the same key with the same request is written once and answered the same.',
      { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH },
      'order-4711',
    ),
  };
}

const PREFERENCES: Readonly<Record<keyof typeof CHOICES, string>> = {
  resolution: 'what to do with a row whose key exists: replace it, or keep it',
  return: 'whether a write answers with the rows it wrote',
  count: 'count all matching rows, for Content-Range',
  missing: 'what a key that an object of the body lacks stands for',
  handling: 'whether an unknown preference is refused or ignored',
  tx: 'rollback: a dry run that answers as the write would, and stores nothing',
};

function query(name: string, description: string, schema: JsonObject, value: string | number): JsonObject {
  return { name, in: 'query', description, schema, example: value };
}

function header(name: string, description: string, schema: JsonObject, ...values: readonly string[]): JsonObject {
  const examples = Object.fromEntries(values.map((value) => [value.replaceAll(/[^\w.-]/g, '-'), { value }]));
  return { name, in: 'header', description, schema, ...(values.length === 1 ? { example: values[0]! } : { examples }) };
}
