/** The arguments of a call: texts of a query string or a form, or JSON values of a body. */
import { ApiError } from '../../base/errors.ts';
import type { Parameter } from '../../collection/declaration.ts';
import { storeJson } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { TextArguments } from '../../dialect/call-query.ts';

export type GivenArguments =
  | { readonly kind: 'texts'; readonly texts: TextArguments }
  | { readonly kind: 'json'; readonly values: ReadonlyMap<string, unknown> };

export interface Argument {
  readonly parameter: Parameter;
  readonly value: Value;
}

export function namesOf(given: GivenArguments): readonly string[] {
  return [...(given.kind === 'texts' ? given.texts : given.values).keys()];
}

/** The values of all parameters, by name. The last of repeated texts wins. */
export function readArguments(parameters: readonly Parameter[], given: GivenArguments): ReadonlyMap<string, Argument> {
  return new Map(parameters.map((parameter) => [parameter.name, { parameter, value: argumentOf(parameter, given) }]));
}

function argumentOf(parameter: Parameter, given: GivenArguments): Value {
  const { name, type } = parameter;
  try {
    if (given.kind === 'texts') {
      const text = given.texts.get(name)?.at(-1);
      return text === undefined ? parameter.default! : type.store(text);
    }
    return given.values.has(name) ? storeJson(type, given.values.get(name)) : parameter.default!;
  } catch (error) {
    if (!(error instanceof ApiError) || error.hint !== null) throw error;
    throw error.with({ hint: `The parameter ${name} is of type ${type.title}.`, field: name });
  }
}
