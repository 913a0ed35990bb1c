/** The OpenAPI document as the tests read it, and a check of answers against it. */
import type { ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import { BUILT_IN, type CatalogueWithRows } from '../../src/collection/built-in.ts';
import { describe } from '../../src/openapi/described.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { SHOP, SHOP_ROWS } from './engines/shop.ts';

export interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}
export interface Answer {
  readonly $ref?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly required?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: { readonly type: string };
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: string | number | readonly string[] }>>;
}
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly requestBody?: { readonly $ref: string };
  readonly responses: Readonly<Record<string, Answer>>;
}
export interface OpenApi {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly unknown[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly properties: Readonly<Record<string, { readonly enum?: string[] }>> }>
    >;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly requestBodies: Readonly<Record<string, { readonly content: Readonly<Record<string, Media>> }>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly headers: Readonly<Record<string, unknown>>;
  };
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export const DESCRIBED = describe(BUILT_IN);
export const document = documentOf(BUILT_IN);
export const shopDocument = documentOf({ catalogue: SHOP, rows: (name) => SHOP_ROWS[name] ?? [] });

/** The document as a client parses it. */
export function documentOf(begun: CatalogueWithRows): OpenApi {
  return JSON.parse(JSON.stringify(openApiDocument(describe(begun)))) as OpenApi;
}

const UNCHECKED_FORMATS = ['int16', 'int32', 'int64', 'float', 'double', 'date', 'date-time', 'uuid'];

/** Validators by the text of the schema: most schemas repeat, and a validator takes long to compile. */
function validatorsOf(described: OpenApi): (place: string) => ValidateFunction {
  const formats = Object.fromEntries(UNCHECKED_FORMATS.map((name) => [name, true as const]));
  const ajv = new Ajv2020({ strict: false, formats }).addSchema(described, 'document');
  const known = new Map<string, ValidateFunction>();
  return (place) => {
    const text = JSON.stringify(at(described, place));
    const validate = known.get(text) ?? ajv.getSchema(`document#${place}`)!;
    known.set(text, validate);
    return validate;
  };
}

/** The value at a JSON pointer. */
function at(described: OpenApi, place: string): unknown {
  const names = place.split('/').slice(1);
  return names.reduce<unknown>(
    (node, name) => (node as Record<string, unknown>)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    described,
  );
}

const validators = new Map<OpenApi, (place: string) => ValidateFunction>();

/** The validation errors of a value against the schema at a place; undefined if it is valid. */
export function objections(place: string, value: unknown, described = document): unknown {
  const validatorAt = validators.get(described) ?? validatorsOf(described);
  validators.set(described, validatorAt);
  const validate = validatorAt(place);
  return validate(value) ? undefined : validate.errors;
}

export function pointer(...names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function operations(described = document): { path: string; method: string; operation: Operation }[] {
  return Object.entries(described.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => Object.hasOwn(item, method)).map((method) => ({
      path,
      method,
      operation: item[method]!,
    })),
  );
}

/** The media types of an operation's body. */
export function bodyOf({ requestBody }: Operation, described = document): Readonly<Record<string, Media>> {
  return requestBody === undefined ? {} : described.components.requestBodies[lastName(requestBody.$ref)]!.content;
}

/** An answer of the service. */
export interface Given {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: string;
}

/**
 * The differences between an answer and its description, for a path of the document. `isWhole` is whether the rows are
 * whole: OpenAPI cannot describe the rows of a `select`, or another media type of the same rows.
 */
export function complaintsAbout(
  path: string,
  method: string,
  { status, contentType, body }: Given,
  whole = document,
  isWhole = true,
): unknown[] {
  const responses = whole.paths[path]?.[method.toLowerCase()]?.responses ?? {};
  const described = responses[status] ?? (status >= 300 ? responses.default : undefined);
  if (described === undefined) return [`${status} is not described`];
  if (body === '' || (!isWhole && status < 300)) return [];
  const name = Object.hasOwn(responses, status) ? String(status) : 'default';
  const place = described.$ref?.slice(1) ?? pointer('paths', path, method.toLowerCase(), 'responses', name);
  const { content } = described.$ref === undefined ? described : whole.components.responses[lastName(described.$ref)]!;
  const type = contentType!.replace(/; charset=utf-8$/, '');
  if (content === undefined || !Object.hasOwn(content, type)) return [`${status} with ${type} is not described`];
  const value: unknown = /[/+]json/.test(type) ? JSON.parse(body) : body;
  const against = objections(`${place}${pointer('content', type, 'schema')}`, value, whole);
  return against === undefined ? [] : [against];
}

/** Whether the answer has whole rows as JSON. */
export function isWhole(query: string, accept: string | undefined): boolean {
  return !/(^|&)select=/.test(query) && (accept === undefined || /^(\*\/\*|application\/json)$/.test(accept));
}

export function lastName(ref: string): string {
  return ref.split('/').at(-1)!;
}
