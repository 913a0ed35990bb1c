/** Request bodies: rows to create, a row to replace, changes. Each has examples that the service accepts. */
import type { Collection } from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import { BODY_TYPES } from '../http/body/parse-body.ts';
import { writableBy } from './by-role.ts';
import { own, schemaRef } from './component.ts';
import type { JsonObject } from './json.ts';
import { areNew, newRows } from './new-rows.ts';
import { type RowShape, SHAPES } from './row-shape.ts';
import { changedFields, csvOf, keyFilter, keyNames, part, type Samples } from './samples.ts';

const MERGED = '. A stored row has the same key: send it with `Prefer: resolution=merge-duplicates`';

interface BodyExample extends JsonObject {
  readonly summary: string;
  readonly value: Row | readonly Row[];
}

/** The request bodies of a collection by their names. */
export function requestBodies(collection: Collection, samples: Samples): Record<string, JsonObject> {
  const created = writableBy(collection, 'creates', samples);
  const changed = writableBy(collection, 'updates', samples);
  const bodies = {
    rows: createdRows(...created),
    row: wholeRow(...created),
    changes: changes(...changed),
    'list-changes': changesOfSome(...changed),
  };
  const schemasByShape = SHAPES.flatMap((shape) =>
    Object.entries(bodies).map(([name, body]) => [shape.id(name), inShape(body, shape)] as const),
  );
  return Object.fromEntries(schemasByShape);
}

/** The body in the media types of the shape. */
function inShape({ content, ...body }: JsonObject, { isFree }: RowShape): JsonObject {
  const types = content as JsonObject;
  return { ...body, content: isFree ? types : { 'application/json': types['application/json']! } };
}

/** Rows to create: one, or a list. */
function createdRows(collection: Collection, samples: Samples): JsonObject {
  const rows = newRows(collection, samples);
  const row = newRowOf(collection);
  const how = areNew(collection) ? '' : MERGED;
  return requestBody(collection, { oneOf: [row, { type: 'array', items: row }] }, row, rows, {
    one: { summary: `One row${how}`, value: rows[0] },
    several: { summary: `A list of rows${how}`, value: rows },
  });
}

/** One whole row. */
function wholeRow(collection: Collection, [sample]: Samples): JsonObject {
  const row = newRowOf(collection);
  const value = part(sample, collection.fields);
  return requestBody(collection, row, row, [value], { one: { summary: 'The whole row', value } });
}

/** Changes of every row that a filter or the path selects. */
function changes(collection: Collection, [sample]: Samples): JsonObject {
  const schema = changesOf(collection);
  const changed = part(sample, changedFields(collection));
  return requestBody(collection, schema, schema, [changed], {
    one: { summary: 'Fields and their new values', value: changed },
  });
}

/** Changes of every row that a filter selects, or a list of changes that each contain a key. */
function changesOfSome(collection: Collection, samples: Samples): JsonObject {
  const { key } = collection;
  const schema = changesOf(collection);
  const keyedSchema = { allOf: [schema], required: key.map(({ name }) => name) };
  const changed = changedFields(collection);
  const one = part(samples[0], changed);
  if (key.length === 0) return changes(collection, samples);
  return requestBody(collection, { oneOf: [schema, { type: 'array', items: keyedSchema }] }, schema, [one], {
    one: {
      summary: `With a filter, such as ${keyFilter(collection, samples[0])}: for every row that passes it`,
      value: one,
    },
    several: {
      summary: `Without a filter: each object has its ${keyNames(collection)}`,
      value: samples.map((sample) => part(sample, [...key, ...changed])),
    },
  });
}

function newRowOf(collection: Collection): JsonObject {
  return schemaRef(own(collection, 'NewRow'));
}

function changesOf(collection: Collection): JsonObject {
  return schemaRef(own(collection, 'Changes'));
}

/** The same rows in every media type of bodies. A form holds one row. Only JSON and CSV have examples. */
function requestBody(
  collection: Collection,
  schema: JsonObject,
  one: JsonObject,
  rows: readonly Row[],
  examples: Readonly<Record<string, BodyExample>>,
): JsonObject {
  const content = (type: string): JsonObject => {
    if (type === 'application/json') return { schema, examples };
    if (type.endsWith('json')) return { schema };
    if (type.endsWith('urlencoded')) return { schema: one };
    return { schema: { type: 'string' }, example: csvOf(collection, withoutNulls(rows)) };
  };
  return { required: true, content: Object.fromEntries(BODY_TYPES.map((type) => [type, content(type)])) };
}

/** Omits the columns in which a row has null: an empty CSV cell is an empty text. */
function withoutNulls(rows: readonly Row[]): readonly Row[] {
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.every((row) => row[name] !== null));
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
}
