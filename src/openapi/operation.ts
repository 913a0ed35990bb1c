/** The form of an operation. */
import type { Components } from './component.ts';
import type { Json, JsonObject } from './json.ts';
import { type ParameterName, parameters } from './parameters.ts';
import { errorAnswer } from './responses.ts';

export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly ParameterName[];
  /** Parameters of this operation only. */
  readonly ownParameters?: readonly JsonObject[];
  readonly body?: JsonObject;
  /** Successful answers by status. */
  readonly answers: Readonly<Record<string, JsonObject>>;
}

export function operation(components: Components, described: Operation): JsonObject {
  const { id, tag, summary, description, parameters: names = [], ownParameters = [], body, answers } = described;
  const all: readonly Json[] = [...ownParameters, ...parameters(components, names)];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...answers, default: errorAnswer(components) },
  };
}
