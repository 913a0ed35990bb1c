/** The operations on `/rpc/<name>`. */
import type { Collection, Parameter, Routine } from '../../collection/declaration.ts';
import { type Components, componentName } from '../component.ts';
import type { JsonObject } from '../json.ts';
import { type Operation, operation } from '../parameters.ts';
import { answer, doneAnswer, JSON_OF } from '../responses.ts';
import { actionPath } from './action-path.ts';
import { listRef } from './row-paths.ts';

/** The declared collection whose rows it returns. */
export function collectionOf(routine: Routine): Collection | undefined {
  if (routine.kind === 'query') return routine.collection;
  if (routine.kind === 'action') return undefined;
  return routine.returns?.isDeclared === true ? routine.returns.collection : undefined;
}

export function routinePath(components: Components, routine: Routine): JsonObject {
  if (routine.kind === 'action') return actionPath(components, routine);
  const { name, description, parameters } = routine;
  const collection = collectionOf(routine);
  const call = (verb: string, rest: Pick<Operation, 'ownParameters' | 'body'>) =>
    operation(components, {
      id: `${verb}_${componentName(name)}`,
      tag: collection?.name ?? 'Functions',
      summary: description ?? `Call ${name}`,
      parameters: [...(collection === undefined ? [] : ROW_PARAMETERS), 'limit', 'offset', 'Prefer'],
      answers: answersOf(components, routine, collection),
      ...rest,
    });
  return {
    get: call('get', { ownParameters: parameters.map(queryParameter) }),
    post: call('call', { body: bodyOf(parameters) }),
  };
}

/** Filters restrict the rows of a declared collection further. */
const ROW_PARAMETERS = ['filter', 'select', 'order'] as const;

function answersOf(components: Components, routine: Routine, collection: Collection | undefined) {
  if (collection !== undefined) {
    const list = listRef(components, collection);
    return { '200': list, '206': list };
  }
  return routine.kind === 'function' && routine.returns === undefined
    ? { '204': doneAnswer(components) }
    : { '200': answer(components, 'The result.', ['Content-Range', 'ETag', 'Preference-Applied'], JSON_OF({})) };
}

function queryParameter(parameter: Parameter): JsonObject {
  return {
    name: parameter.name,
    in: 'query',
    description: `An argument of the type ${parameter.type.title}.`,
    ...describe(parameter),
    required: parameter.isRequired,
    schema: parameter.type.schema as JsonObject,
  };
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
  return { required: required.length > 0, content: JSON_OF(schema) };
}

/** In words: clients would send a `default` with every call. */
function describe({ description, type, default: value }: Parameter): JsonObject {
  const words = [
    ...(description === undefined ? [] : [description]),
    ...(value === undefined || value === null ? [] : [`The default is ${type.json(value)}.`]),
  ];
  return words.length === 0 ? {} : { description: words.join(' ') };
}
