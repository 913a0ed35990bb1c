/** The operations on `/rpc/<name>`. */
import type { Parameter, Routine } from '../../collection/declaration.ts';
import { own } from '../component.ts';
import type { Json, JsonObject } from '../json.ts';
import { BODY_ERRORS, type Draft, head, operation, options, READ_ERRORS } from '../operation.ts';
import { rowsContent, withHeaders } from '../responses.ts';
import { SELECTED } from '../row-shape.ts';

export function routinePath(routine: Routine): JsonObject {
  const { name, description, parameters, collection } = routine;
  const its = (parameter: string) => own(collection, parameter);
  const content = rowsContent(collection, SELECTED);
  const listHeaders = ['Content-Range', 'ETag', 'Link', 'Preference-Applied'] as const;
  const draft = (verb: string, rest: Pick<Draft, 'parameters' | 'errors'>): Draft => ({
    id: `${verb}_${name}`,
    tag: collection.name,
    summary: description ?? `Call the query ${name}`,
    description: `Returns rows of ${collection.name}. Filters restrict them further; \`select\`, \`order\`, \`limit\` and \`offset\` replace those of the query.`,
    answers: {
      '200': withHeaders('The rows.', listHeaders, content),
      '206': withHeaders('A page of the counted rows.', listHeaders, content),
    },
    ...rest,
  });
  const page = [its('select'), its('order'), 'limit', 'offset', 'Prefer'];
  const get = draft('get', { parameters: [...page, 'Range'], errors: [...READ_ERRORS, 404, 405, 416] });
  const post = draft('call', { parameters: page, errors: [...READ_ERRORS, ...BODY_ERRORS, 404, 405, 416] });
  return {
    get: withArguments(operation(get), parameters),
    head: withArguments(head(get, { id: `head_${name}`, summary: 'The headers of the rows' }), parameters),
    post: { ...operation(post), requestBody: bodyOf(parameters) },
    options: options(`options_of_rpc_${name}`),
  };
}

function withArguments(operation: JsonObject, parameters: readonly Parameter[]): JsonObject {
  const own = parameters.map((parameter) => ({
    name: parameter.name,
    in: 'query',
    ...describe(parameter),
    required: parameter.default === undefined,
    schema: parameter.type.schema as JsonObject,
  }));
  return { ...operation, parameters: [...own, ...(operation.parameters as readonly Json[])] };
}

function bodyOf(parameters: readonly Parameter[]): JsonObject {
  const required = parameters.filter((each) => each.default === undefined).map(({ name }) => name);
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
