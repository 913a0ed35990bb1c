/** Request bodies: rows to create, a row to put in the place of another, changes; each with examples that can be sent. */
import type { Collection } from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import { BODY_TYPES } from '../http/body.ts';
import type { JsonObject } from './json.ts';
import { changedFields, csvOf, newRow, part, type Samples } from './samples.ts';

const NEW_ROW: JsonObject = { $ref: '#/components/schemas/NewRow' };
const CHANGES: JsonObject = { $ref: '#/components/schemas/Changes' };

interface BodyExample extends JsonObject {
  readonly summary: string;
  readonly value: Row | readonly Row[];
}

/** Rows to create: one, or a list. */
export function newRows(collection: Collection, samples: Samples): JsonObject {
  const rows = samples.map((sample) => newRow(collection, sample));
  return requestBody({ oneOf: [NEW_ROW, { type: 'array', items: NEW_ROW }] }, NEW_ROW, rows, {
    one: { summary: 'One row', value: rows[0]! },
    several: { summary: 'A list of rows', value: rows },
  });
}

/** The whole of one row. */
export function wholeRow([sample]: Samples): JsonObject {
  return requestBody(NEW_ROW, NEW_ROW, [sample], { one: { summary: 'The whole row', value: sample } });
}

/** Changes for every row that a filter or the path names. */
export function changes(collection: Collection, [sample]: Samples): JsonObject {
  const changed = part(sample, changedFields(collection));
  return requestBody(CHANGES, CHANGES, [changed], { one: { summary: 'Fields and their new values', value: changed } });
}

/** Changes for every row that a filter names, or a list in which each names its own. */
export function changesOfSome(collection: Collection, samples: Samples): JsonObject {
  const key = collection.key[0]!;
  const named = { allOf: [CHANGES, { type: 'object', required: [key.name] }] };
  const changed = changedFields(collection);
  const one = part(samples[0], changed);
  return requestBody({ oneOf: [CHANGES, { type: 'array', items: named }] }, CHANGES, [one], {
    one: {
      summary: `With a filter, such as ${key.name}=eq.${samples[0][key.name]}: for every row that it names`,
      value: one,
    },
    several: {
      summary: `Without a filter: each names its row by ${key.name}`,
      value: samples.map((sample) => part(sample, [key, ...changed])),
    },
  });
}

/** The same rows in every media type that is read. A form holds one. */
function requestBody(
  schema: JsonObject,
  one: JsonObject,
  rows: readonly Row[],
  examples: Readonly<Record<string, BodyExample>>,
): JsonObject {
  const content = (type: string): JsonObject => {
    if (type.endsWith('json')) return { schema, examples };
    if (type.endsWith('urlencoded')) return { schema: one };
    return { schema: { type: 'string' }, example: csvOf(rows) };
  };
  return { required: true, content: Object.fromEntries(BODY_TYPES.map((type) => [type, content(type)])) };
}
