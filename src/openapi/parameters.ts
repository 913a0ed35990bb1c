/** The parameters that operations share, from the tables of the dialect. */
import { defined } from '../base/defined.ts';
import {
  MAX_CONDITIONS,
  MAX_FACETS,
  MAX_IDEMPOTENCY_KEY_LENGTH,
  MAX_LIST_VALUES,
  MAX_LOGIC_DEPTH,
} from '../base/limits/http.ts';
import { AFTER, LOGIC_KEYS } from '../dialect/logic.ts';
import { OPERATORS } from '../dialect/operators.ts';
import { FACETS_MEDIA_TYPE } from '../dialect/order.ts';
import { CHOICES } from '../dialect/prefer.ts';
import type { PARAMETERS } from '../dialect/query.ts';
import { AGGREGATES } from '../dialect/tree.ts';
import type { Components, Json, JsonObject } from './component.ts';
import { errorAnswer } from './responses.ts';

const TEXT = { type: 'string' };

const OPERATOR_ROWS = Object.entries(OPERATORS).map(([name, { meaning }]) => `| \`${name}\` | ${meaning} |`);

const FILTER = `Conditions that a row must pass, each a parameter of its own: \`field=[not.]operator.value\`, such as \`id=gt.2\`; in a form of this reference \`{"id": "gt.2"}\`. \
\`or=(a.eq.1,b.gt.2)\` and its relatives join conditions, up to ${MAX_LOGIC_DEPTH} deep and ${MAX_CONDITIONS} in all. \
Lists hold up to ${MAX_LIST_VALUES} values. Parameters may be repeated; all must hold. A write needs a condition; it also takes \`order\`, \`limit\` and \`offset\`.

| operator | the field |
|---|---|
${OPERATOR_ROWS.join('\n')}`;

const LOGIC = Object.fromEntries(LOGIC_KEYS.map((name) => [name, TEXT]));

const SELECT = `Columns to return, \`[alias:]field[::type]\`, and aggregates: \`count()\`, \
${AGGREGATES.map((name) => `\`field.${name}()\``).join(', ')}, \`field.count(distinct)\`. Fields beside aggregates group them. The default is all fields.

Embed related rows as \`[alias:]name[!hint][!inner](select)\`, nested to any depth; the description of a collection \
lists the names. \`...name(…)\` puts their columns beside the row's own. Filters, order, limit and offset of an \
embedding begin with its name: \`name.field=eq.1\`, \`name.limit=3\`.`;

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

const PREFER = `Preferences (RFC 7240), separated by commas:

${Object.entries(CHOICES)
  .map(([name, values]) => `- \`${name}=${values.join('|')}\`: ${PREFERENCES[name as keyof typeof CHOICES]}`)
  .join('\n')}
- \`max-affected=<number>\`: with handling=strict, the service rejects a write of more rows
- \`as-of=<time>\`: reads the rows as they were at that time, within the retention of the history
- \`timezone=<name>\`: accepted; answers have times in UTC`;

/** A new parameter of the dialect without an entry does not compile. */
const QUERY: Readonly<Record<(typeof PARAMETERS)[number], JsonObject>> = {
  select: query('select', SELECT, TEXT),
  order: query(
    'order',
    'Sort keys: `field[.asc|.desc][.nullsfirst|.nullslast]`, separated by commas. The key is always the last. `prices(amount.min())` is an aggregate of related rows.',
    TEXT,
  ),
  limit: query('limit', 'Most rows to return.', { type: 'integer', minimum: 0 }),
  offset: query('offset', 'Rows to skip.', { type: 'integer', minimum: 0 }),
  columns: query('columns', 'Fields to read from the body. The service ignores its other keys.', TEXT),
  on_conflict: query(
    'on_conflict',
    'The unique fields that `Prefer: resolution=…` compares, or by which the objects of a PATCH name their rows. The default is the key.',
    TEXT,
  ),
};

const ALL = {
  filter: {
    ...query('filter', FILTER, {
      type: 'object',
      properties: { ...LOGIC, [AFTER]: { ...TEXT, description: 'The start of a page, from its link.' } },
      additionalProperties: TEXT,
    }),
    style: 'form',
    explode: true,
    // Viewers would send an example that they generate from the schema.
    example: {},
  },
  ...QUERY,
  facets: query(
    'facets',
    `With \`Accept: ${FACETS_MEDIA_TYPE}\`: fields to count the rows by, separated by commas, up to ${MAX_FACETS}. \`name.field\` is a field of related rows, \`field(0,50,100)\` counts by ranges. The answer is \`{"rows": […], "total": n, "facets": {…}, "bounds": {…}}\`.`,
    TEXT,
  ),
  lang: query('lang', 'The language of fields with translations, such as `de`; it wins over Accept-Language.', TEXT),
  'Accept-Language': header(
    'Accept-Language',
    'The language of fields with translations, in the answer, filters and order. A missing translation is the field itself. The answer names its language in Content-Language.',
    TEXT,
  ),
  'Content-Language': header(
    'Content-Language',
    'The language of the body: the name of a field then means its translation.',
    TEXT,
  ),
  Prefer: header('Prefer', PREFER, TEXT),
  Range: header('Range', 'A page by row numbers, instead of limit and offset.', { ...TEXT, pattern: '^\\d+-\\d*$' }),
  'If-Match': header(
    'If-Match',
    'Write only if the row still has this version: the ETag of an earlier answer, or `*` for any. With a list of changes only `*`: change nothing unless each row passes the filter.',
    TEXT,
  ),
  'If-None-Match': header(
    'If-None-Match',
    'A read answers 304 without a body if the ETag is still the same. With `*`, a PUT creates a row and does not replace one.',
    TEXT,
  ),
  'Idempotency-Key': header(
    'Idempotency-Key',
    'Makes a retry safe: the service writes once per key and repeats its answer.',
    { ...TEXT, minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH },
  ),
} as const;

export type ParameterName = keyof typeof ALL;

export function parameters(components: Components, names: readonly ParameterName[]): JsonObject[] {
  return names.map((name) => components.ref('parameters', name, () => ALL[name] as JsonObject));
}

function query(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: 'query', description, schema };
}

function header(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: 'header', description, schema };
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly ParameterName[];
  /** Parameters of this operation only. */
  readonly ownParameters?: readonly JsonObject[];
  readonly body?: JsonObject;
  /** Successful answers by status. */
  readonly answers: Readonly<Record<string, JsonObject>>;
}

export function operation(components: Components, described: Operation): JsonObject {
  const { id, tag, summary, description, parameters: names = [], ownParameters = [], body, answers } = described;
  const all: readonly Json[] = [...ownParameters, ...parameters(components, names)];
  return defined({
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters: all.length === 0 ? undefined : all,
    requestBody: body,
    responses: { ...answers, default: errorAnswer(components) },
  });
}
