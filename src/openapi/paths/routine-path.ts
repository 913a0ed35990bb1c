/** The operations on `/rpc/<name>`. */
import { defined } from '../../base/defined.ts';
import type { Action, Collection, Parameter, Routine } from '../../collection/declaration.ts';
import { isOneRow } from '../../plan/call/action.ts';
import { type Components, componentName, type JsonObject } from '../component.ts';
import { type Operation, operation } from '../parameters.ts';
import { answer, doneAnswer, JSON_OF } from '../responses.ts';
import { closedObject, newRowSchema, rowSchema } from '../schemas.ts';
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
  const schemas = parameters.map((each) => [each.name, { ...(each.type.schema as JsonObject), ...describe(each) }]);
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
    post: call('call', { body: bodyOf(parameters, Object.fromEntries(schemas)) }),
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

/** A body with the arguments, by the schemas of the parameters. */
function bodyOf(parameters: readonly Parameter[], schemas: JsonObject): JsonObject {
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { required: required.length > 0, content: JSON_OF(closedObject(schemas, required)) };
}

/** In words: clients would send a `default` with every call. */
function describe({ description, type, default: value }: Parameter): JsonObject {
  const words = [
    ...(description === undefined ? [] : [description]),
    ...(value === undefined || value === null ? [] : [`The default is ${type.json(value)}.`]),
  ];
  return words.length === 0 ? {} : { description: words.join(' ') };
}

export const ACTION_TAG = { name: 'Actions', description: 'Batches of the declaration, each in one transaction.' };

function actionPath(components: Components, action: Action): JsonObject {
  const { name, description, parameters, returns } = action;
  return {
    post: operation(components, {
      id: `call_${componentName(name)}`,
      tag: ACTION_TAG.name,
      summary: description ?? `Call ${name}`,
      parameters: ['Prefer', 'Idempotency-Key'],
      body: bodyOf(parameters, argumentsOf(action)),
      answers:
        returns === undefined
          ? { '204': doneAnswer(components) }
          : { '200': answer(components, 'The stored rows.', ['Preference-Applied'], JSON_OF(resultOf(action))) },
    }),
  };
}

/** Values and lists of rows. */
function argumentsOf({ parameters, values, rows }: Action): JsonObject {
  const lists = [...rows].map(([name, { collection, isRequired, maximum }]) => {
    const description = parameters.find((parameter) => parameter.name === name)?.description;
    const limits = { minItems: isRequired ? 1 : 0, maxItems: maximum };
    return [name, { type: 'array', items: newRowSchema(collection), ...limits, ...defined({ description }) }] as const;
  });
  return { ...(newRowSchema(values).properties as JsonObject), ...Object.fromEntries(lists) };
}

function resultOf(action: Action): JsonObject {
  const { returns = [], entries } = action;
  const result = (name: string): JsonObject => {
    const row = rowSchema(entries.find((entry) => entry.name === name)!.collection);
    return isOneRow(action, name) ? row : { type: 'array', items: row };
  };
  if (typeof returns === 'string') return result(returns);
  return { type: 'object', properties: Object.fromEntries(returns.map((name) => [name, result(name)])) };
}
