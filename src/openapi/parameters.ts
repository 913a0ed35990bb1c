/** Query parameters and request headers, as the dialect's own tables name them. */
import type { Collection, Field } from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import { versionOfText } from '../collection/version.ts';
import { AFTER, LOGIC_KEYS } from '../dialect/logic.ts';
import { OPERATORS, type OperatorName, type OperatorRules } from '../dialect/operators.ts';
import { CHOICES } from '../dialect/prefer.ts';
import type { PARAMETERS } from '../dialect/query.ts';
import { AGGREGATES, IS_VALUES } from '../dialect/tree.ts';
import { MAX_CONDITIONS, MAX_IDEMPOTENCY_KEY_LENGTH, MAX_LIST_VALUES, MAX_LOGIC_DEPTH } from '../limits.ts';
import type { JsonObject } from './json.ts';

/** What may be asked of a field: the operators that serve its type. */
export function operatorsFor(field: Field): readonly [OperatorName, OperatorRules][] {
  return (Object.entries(OPERATORS) as [OperatorName, OperatorRules][]).filter(([, { serves }]) =>
    serves.includes(field.type),
  );
}

/** One parameter a field: `field=[not.]operator.value`, which may be given several times. */
export function filterParameters(collection: Collection, sample: Row): Record<string, JsonObject> {
  return Object.fromEntries(
    collection.fields.map((field) => [filterName(field), filterParameter(field, sample[field.name] ?? null)]),
  );
}

export function filterName(field: Field): string {
  return `filter.${field.name}`;
}

function filterParameter(field: Field, sample: Row[string]): JsonObject {
  const operators = operatorsFor(field);
  const rows = operators.map(([name, { meaning }]) => `| \`${name}\` | ${meaning} |`).join('\n');
  return {
    name: field.name,
    in: 'query',
    description: `Only rows whose ${field.name} passes the test \`[not.]operator.value\`. May be given several times; all must hold.

| operator | the field |
|---|---|
${rows}

Lists hold up to ${MAX_LIST_VALUES} values; \`is\` takes ${IS_VALUES.join(', ')}.`,
    schema: { type: 'string', pattern: `^(not\\.)?(${operators.map(([name]) => name).join('|')})(\\([^)]*\\))?\\.` },
    examples: Object.fromEntries(
      operators.map(([name, rules]) => [
        name,
        example(`${name}.${exampleValue(rules, String(sample))}`, rules.meaning),
      ]),
    ),
  };
}

function exampleValue({ form, symbol }: OperatorRules, sample: string): string {
  if (form === 'list') return `(${sample})`;
  if (form === 'keyword') return 'null';
  if (form === 'search') return sample.split(' ')[0]!.toLowerCase();
  if (symbol.startsWith('~~')) return `${sample.slice(0, 2)}*`;
  return symbol.startsWith('~') ? `^${sample.slice(0, 2)}` : sample;
}

/** Everything that is no filter: one entry each, so that a new parameter without one does not compile. */
export function dialectParameters(collection: Collection): Record<(typeof PARAMETERS)[number], JsonObject> {
  const { key, fields } = collection;
  const other = fields.find((field) => field !== key) ?? key;
  const names = `${key.name},${other.name}`;
  return {
    select: query(
      'select',
      `Columns to return, \`[alias:]field[::type]\`, and aggregates: \`count()\`, ${aggregates(other)}. Fields beside aggregates group them.`,
      { type: 'string', default: '*' },
      names,
    ),
    order: query(
      'order',
      `Sort keys: \`field[.asc|.desc][.nullsfirst|.nullslast]\`, separated by commas. Ties are always broken by ${key.name}.`,
      { type: 'string', default: key.name },
      `${other.name}.desc.nullslast`,
    ),
    limit: query('limit', 'Most rows to return.', { type: 'integer', minimum: 0 }, 10),
    offset: query('offset', 'Rows to skip.', { type: 'integer', minimum: 0, default: 0 }, 0),
    columns: query(
      'columns',
      'Fields to read from the body; other keys in it are passed over.',
      { type: 'string' },
      names,
    ),
    on_conflict: query(
      'on_conflict',
      `The unique field that \`Prefer: resolution=…\` goes by: ${key.name}.`,
      { type: 'string', enum: [key.name] },
      key.name,
    ),
  };
}

function aggregates(field: Field): string {
  return AGGREGATES.map((name) => `\`${field.name}.${name}()\``).join(', ');
}

export function logicParameters({ key }: Collection): Record<string, JsonObject> {
  const value = `(${key.name}.eq.1,${key.name}.eq.2)`;
  const description = `Conditions \`field.[not.]operator.value\`, nested with and(…), or(…), not.and(…), not.or(…): up to ${MAX_LOGIC_DEPTH} deep and ${MAX_CONDITIONS} in all.`;
  const after = `Where the page begins, as the link \`next\` of the one before says: conditions as in \`and\`.`;
  return {
    ...Object.fromEntries(LOGIC_KEYS.map((name) => [name, query(name, description, { type: 'string' }, value)])),
    [AFTER]: query(AFTER, after, { type: 'string' }, `(${key.name}.gt.20)`),
  };
}

export function headerParameters(collection: Collection, sample: Row): Record<string, JsonObject> {
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
    ),
    Range: header(
      'Range',
      'The rows of a page by number, instead of limit and offset.',
      { type: 'string', pattern: '^\\d+-\\d*$' },
      '0-9',
    ),
    'If-Match': header(
      'If-Match',
      `Write only if ${collection.name} has this version still: the ETag of an earlier answer, or \`*\`.`,
      { type: 'string' },
      tag,
    ),
    'If-None-Match': header(
      'If-None-Match',
      'A read answers 304 without a body if the ETag is this one still; a PUT with `*` creates, and never replaces.',
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
  return { name, in: 'query', description, schema, examples: { example: example(value) } };
}

function header(name: string, description: string, schema: JsonObject, value: string): JsonObject {
  return { name, in: 'header', description, schema, examples: { example: example(value) } };
}

/** Marked so that the reference page does not send every parameter there is with the first request one tries. */
function example(value: string | number, summary?: string): JsonObject {
  return { ...(summary === undefined ? {} : { summary }), value, 'x-disabled': true };
}
