/** The operation on `/rpc/<name>` of an action. */
import type { Action } from '../../collection/declaration.ts';
import { isOneRow } from '../../plan/call/action.ts';
import { type Components, componentName } from '../component.ts';
import type { JsonObject } from '../json.ts';
import { operation } from '../parameters.ts';
import { answer, doneAnswer, JSON_OF } from '../responses.ts';
import { newRowSchema, rowSchema } from '../schemas.ts';

export const ACTION_TAG = { name: 'Actions', description: 'Batches of the declaration, each in one transaction.' };

export function actionPath(components: Components, action: Action): JsonObject {
  const { name, description, returns } = action;
  return {
    post: operation(components, {
      id: `call_${componentName(name)}`,
      tag: ACTION_TAG.name,
      summary: description ?? `Call ${name}`,
      parameters: ['Prefer', 'Idempotency-Key'],
      body: bodyOf(action),
      answers:
        returns === undefined
          ? { '204': doneAnswer(components) }
          : { '200': answer(components, 'The stored rows.', ['Preference-Applied'], JSON_OF(resultOf(action))) },
    }),
  };
}

function bodyOf({ parameters, values, rows }: Action): JsonObject {
  const lists = [...rows].map(([name, { collection, isRequired, maximum }]) => {
    const description = parameters.find((parameter) => parameter.name === name)?.description;
    const words = description === undefined ? {} : { description };
    const items = newRowSchema(collection);
    return [name, { type: 'array', items, minItems: isRequired ? 1 : 0, maxItems: maximum, ...words }] as const;
  });
  const own = newRowSchema(values);
  const properties = { ...(own.properties as JsonObject), ...Object.fromEntries(lists) };
  const required = parameters.filter(({ isRequired }) => isRequired).map((parameter) => parameter.name);
  const schema = { ...own, properties, ...(required.length === 0 ? {} : { required }) };
  return { required: required.length > 0, content: JSON_OF(schema) };
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
