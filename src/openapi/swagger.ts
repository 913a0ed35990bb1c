/**
 * The document at `/`: Swagger 2.0 in the shape of PostgREST's root document. Tools for PostgREST and Supabase read
 * tables from its `paths` and columns from its `definitions`, with notes of primary and foreign keys.
 */
import type { Task } from '../base/cooperative.ts';
import { defined } from '../base/defined.ts';
import type { Collection, Field, Parameter, Routine } from '../collection/declaration.ts';
import { isKey } from '../collection/declaration.ts';
import { servedName } from '../collection/files.ts';
import type { Type } from '../collection/types/type.ts';
import { RPC_PATH, shortestPath } from '../http/target.ts';
import { allowed } from './by-role.ts';
import type { JsonObject } from './component.ts';
import { type Described, OPENAPI_MEDIA_TYPE } from './described.ts';
import { descriptionOf } from './schemas.ts';
import { jsonOf } from './value-schema.ts';

const MEDIA_TYPES = [
  'application/json',
  'application/vnd.pgrst.object+json;nulls=stripped',
  'application/vnd.pgrst.object+json',
  'text/csv',
];

/** `prefix` is the path that a client puts before the paths of the service. */
export function* buildSwagger({ catalogue, version }: Described, prefix: string): Task<JsonObject> {
  const collections = [...catalogue.collections.values()];
  const paths: Record<string, JsonObject> = { '/': { get: introspection() } };
  const definitions: Record<string, JsonObject> = {};
  const parameters: Record<string, JsonObject> = { ...SHARED };
  for (const collection of collections) {
    const { name, fields } = collection;
    paths[`/${name}`] = operationsOf(collection);
    definitions[name] = definitionOf(collection);
    parameters[`body.${name}`] = bodyOf(name, ref('definitions', name), false);
    for (const field of fields) {
      parameters[`rowFilter.${name}.${field.name}`] = {
        ...inPlace(field.name, 'query', 'string'),
        format: formatOf(field.type),
      };
    }
    yield;
  }
  for (const [routine] of catalogue.routines.values()) {
    if (routine !== undefined) paths[`${shortestPath(RPC_PATH, catalogue)}/${routine.name}`] = callOf(routine);
  }
  return {
    swagger: '2.0',
    info: { title: 'Product Catalogue', description: 'The same API as OpenAPI 3.1: /openapi.json', version },
    basePath: prefix === '' ? '/' : prefix,
    consumes: MEDIA_TYPES,
    produces: MEDIA_TYPES,
    paths,
    definitions,
    parameters,
  };
}

function introspection(): JsonObject {
  return {
    tags: ['Introspection'],
    summary: 'OpenAPI description (this document)',
    produces: [OPENAPI_MEDIA_TYPE, 'application/json'],
    responses: { '200': { description: 'OK' } },
  };
}

function operationsOf(collection: Collection): JsonObject {
  const { name, title, description, fields } = collection;
  const about = { tags: [name], ...defined({ summary: title, description }) };
  const filters = fields.map((field) => ref('parameters', `rowFilter.${name}.${field.name}`));
  const body = ref('parameters', `body.${name}`);
  const shared = (...names: readonly string[]) => names.map((each) => ref('parameters', each));
  const items = { type: 'array', items: ref('definitions', name) };
  const operation = (parameters: readonly JsonObject[], responses: JsonObject) => ({ ...about, parameters, responses });
  const done = { '204': { description: 'No Content' } };
  const page = shared('select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'preferCount');
  const operations = {
    get: operation([...filters, ...page], {
      '200': { description: 'OK', schema: items },
      '206': { description: 'Partial Content' },
    }),
    post: operation([body, ...shared('select', 'preferPost')], { '201': { description: 'Created' } }),
    delete: operation([...filters, ...shared('preferReturn')], done),
    patch: operation([...filters, body, ...shared('preferReturn')], done),
  };
  return Object.fromEntries(allowed<JsonObject>(collection, operations));
}

function definitionOf(collection: Collection): JsonObject {
  const { fields, description } = collection;
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    ...defined({ description, required: required.length === 0 ? undefined : required }),
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(collection, field)])),
    type: 'object',
  };
}

function propertyOf(collection: Collection, field: Field): JsonObject {
  const { maxLength, oneOf } = field.rules;
  const { default: value, generated } = field;
  const standard = generated ? GENERATED[generated] : value == null ? undefined : jsonOf(field, value);
  const note = notesOf(collection, field);
  const words = [descriptionOf(field), ...(note === '' ? [] : [`Note:\n${note}`])].filter((each) => each !== '');
  return defined({
    ...typeOf(field.type),
    description: words.length === 0 ? undefined : words.join('\n\n'),
    default: standard,
    maxLength,
    enum: oneOf?.map((each) => jsonOf(field, each)),
  });
}

/** PostgreSQL's expressions. */
const GENERATED = { now: 'now()', uuid: 'gen_random_uuid()' } as const;

/** The notes by which tools find the keys. */
function notesOf(collection: Collection, field: Field): string {
  const { references, composites, links, among } = collection;
  const direct = references.filter((each) => each.field === field).map(({ to }) => [to, among.get(to)?.key[0]?.name]);
  const joint = [...composites, ...links].flatMap((each) => {
    const at = each.fields.indexOf(field);
    if (at === -1) return [];
    const target = 'targets' in each ? each.targets[at] : among.get(each.to)?.key[at]?.name;
    return [[each.to, target]];
  });
  const [foreign] = [...direct, ...joint];
  const [table, column] = foreign ?? [];
  return [
    ...(isKey(collection, field) ? ['This is a Primary Key.<pk/>'] : []),
    ...(table === undefined || column === undefined
      ? []
      : [
          `This is a Foreign Key to \`${servedName(table)}.${column}\`.<fk table='${servedName(table)}' column='${column}'/>`,
        ]),
  ].join('\n');
}

function callOf(routine: Routine): JsonObject {
  const { name, description, parameters } = routine;
  const about = {
    tags: [`(rpc) ${name}`],
    ...(description === undefined ? {} : { description }),
    produces: MEDIA_TYPES,
    responses: { '200': { description: 'OK' } },
  };
  const required = parameters.filter(({ isRequired }) => isRequired).map((each) => each.name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(parameters.map((each) => [each.name, typeOf(each.type)])),
    ...(required.length === 0 ? {} : { required }),
  };
  const post = { ...about, parameters: [bodyOf('args', schema, true), ref('parameters', 'preferParams')] };
  const mayChange = routine.kind === 'action' || (routine.kind === 'function' && routine.isVolatile);
  return mayChange ? { post } : { get: { ...about, parameters: parameters.map(queryParameter) }, post };
}

function queryParameter({ name, type, isRequired }: Parameter): JsonObject {
  const { type: simple = 'string', format = '' } = typeOf(type);
  return { name, in: 'query', required: isRequired, type: simple === 'array' ? 'string' : simple, format };
}

/** PostgreSQL's name of a type, without its digits. */
function formatOf({ title }: Type): string {
  return title.replace(/\([\d,]+\)(?=(?:\[\])?$)/, '');
}

/** A json value has any type. */
function typeOf(type: Type): JsonObject {
  const format = formatOf(type);
  if (/^jsonb?$/.test(format)) return { format };
  const simple = ({ schema } = type) => [schema.type ?? 'string'].flat()[0]!;
  if (!format.endsWith('[]')) return { format, type: simple() };
  return { format, type: 'array', items: { type: type.element === undefined ? 'string' : simple(type.element) } };
}

function ref(section: 'definitions' | 'parameters', name: string): JsonObject {
  return { $ref: `#/${section}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}

function bodyOf(name: string, schema: JsonObject, required: boolean): JsonObject {
  return { name, in: 'body', description: name, required, schema };
}

function inPlace(name: string, place: 'query' | 'header', type: string): JsonObject {
  return { name, in: place, required: false, type };
}

function preference(...values: readonly string[]): JsonObject {
  return { ...inPlace('Prefer', 'header', 'string'), description: 'Preference', enum: values };
}

const RETURN = ['return=representation', 'return=minimal', 'return=none'];

/** The parameters that all collections share, by PostgREST's names. */
const SHARED: Readonly<Record<string, JsonObject>> = {
  preferParams: preference('params=single-object'),
  preferReturn: preference(...RETURN),
  preferCount: preference('count=none'),
  preferPost: preference(...RETURN, 'resolution=ignore-duplicates', 'resolution=merge-duplicates'),
  select: { ...inPlace('select', 'query', 'string'), description: 'Filtering Columns' },
  on_conflict: { ...inPlace('on_conflict', 'query', 'string'), description: 'On Conflict' },
  order: { ...inPlace('order', 'query', 'string'), description: 'Ordering' },
  range: { ...inPlace('Range', 'header', 'string'), description: 'Limiting and Pagination' },
  rangeUnit: { ...inPlace('Range-Unit', 'header', 'string'), description: 'Limiting and Pagination', default: 'items' },
  offset: { ...inPlace('offset', 'query', 'string'), description: 'Limiting and Pagination' },
  limit: { ...inPlace('limit', 'query', 'string'), description: 'Limiting and Pagination' },
};
