/** The operations on `/rpc/<name>`. */
import type { Collection, Parameter, Routine } from '../../collection/declaration.ts';
import { own } from '../component.ts';
import type { Json, JsonObject } from '../json.ts';
import { BODY_ERRORS, type Draft, head, operation, options, READ_ERRORS, WRITE_ERRORS } from '../operation.ts';
import { rowsContent, withHeaders } from '../responses.ts';
import { SELECTED } from '../row-shape.ts';

/** The declared collection whose rows it returns. */
export function collectionOf(routine: Routine): Collection | undefined {
  if (routine.kind === 'query') return routine.collection;
  return routine.returns?.isDeclared === true ? routine.returns.collection : undefined;
}

export function routinePath(routine: Routine): JsonObject {
  const { name, description, parameters } = routine;
  const collection = collectionOf(routine);
  const listHeaders = ['Content-Range', 'ETag', 'Link', 'Preference-Applied'] as const;
  const content = contentOf(routine, collection);
  const draft = (verb: string, rest: Pick<Draft, 'parameters' | 'errors'>): Draft => ({
    id: `${verb}_${name}`,
    tag: collection?.name ?? 'Functions',
    summary: description ?? `Call ${name}`,
    description: wordsOf(collection),
    answers:
      content === undefined
        ? { '204': withHeaders('Done.', ['Preference-Applied']) }
        : {
            '200': withHeaders('The result.', listHeaders, content),
            '206': withHeaders('A page of the counted rows.', listHeaders, content),
          },
    ...rest,
  });
  const shape = collection === undefined ? [] : [own(collection, 'select'), own(collection, 'order')];
  const page = [...shape, 'limit', 'offset', 'Prefer'];
  const get = draft('get', { parameters: [...page, 'Range'], errors: [...READ_ERRORS, 404, 405, 416] });
  const post = draft('call', { parameters: page, errors: [...WRITE_ERRORS, ...BODY_ERRORS, 404, 405, 416] });
  return {
    get: withArguments(operation(get), parameters),
    head: withArguments(head(get, { id: `head_${name}`, summary: 'The headers of the result' }), parameters),
    post: { ...operation(post), requestBody: bodyOf(parameters) },
    options: options(`options_of_rpc_${name}`),
  };
}

function wordsOf(collection: Collection | undefined): string {
  const refined =
    'Filters restrict the rows further; `select`, `order`, `limit` and `offset` choose what is shown of them.';
  return collection === undefined ? 'Calls the function.' : `Returns rows of ${collection.name}. ${refined}`;
}

function contentOf(routine: Routine, collection: Collection | undefined): JsonObject | undefined {
  if (collection !== undefined) return rowsContent(collection, SELECTED);
  return routine.kind === 'function' && routine.returns !== undefined
    ? { 'application/json': { schema: {} } }
    : undefined;
}

function withArguments(operation: JsonObject, parameters: readonly Parameter[]): JsonObject {
  const own = parameters.map((parameter) => ({
    name: parameter.name,
    in: 'query',
    description: `An argument of the type ${parameter.type.title}.`,
    ...describe(parameter),
    required: parameter.isRequired,
    schema: parameter.type.schema as JsonObject,
  }));
  return { ...operation, parameters: [...own, ...(operation.parameters as readonly Json[])] };
}

function bodyOf(parameters: readonly Parameter[]): JsonObject {
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((each) => [each.name, { ...(each.type.schema as JsonObject), ...describe(each) }]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}

/** In words: clients would send a `default` with every call. */
function describe({ description, type, default: value }: Parameter): JsonObject {
  const words = [
    ...(description === undefined ? [] : [description]),
    ...(value === undefined || value === null ? [] : [`The default is ${type.json(value)}.`]),
  ];
  return words.length === 0 ? {} : { description: words.join(' ') };
}
