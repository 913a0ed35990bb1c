/** The arguments of a call: texts of a query string or a form, JSON values of a body, or the whole body. */
import { ApiError } from '../../base/errors.ts';
import {
  type Collection,
  type DatabaseFunction,
  declareCollection,
  type Parameter,
} from '../../collection/declaration.ts';
import type { BodyType } from '../../collection/draft.ts';
import { jsonText } from '../../collection/exact-json.ts';
import { storeJson } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { Refinement, TextArguments } from '../../dialect/call-query.ts';
import type { Page } from '../../dialect/page.ts';
import type { Permissions } from '../access/permissions.ts';
import { NO_ORDER } from '../read/order.ts';
import { planRead } from '../read/read.ts';
import { NO_COLUMNS } from '../read/shape.ts';
import { ALWAYS, type CallArguments, type FunctionCall, type ReadPlan } from '../types.ts';
import type { CallShape } from './find-routine.ts';

export type GivenArguments =
  | { readonly kind: 'texts'; readonly texts: TextArguments }
  /** `whole` is the text of a body that is JSON. */
  | { readonly kind: 'json'; readonly values: ReadonlyMap<string, unknown>; readonly whole?: string }
  /** A body that is not JSON. */
  | { readonly kind: 'opaque'; readonly type: BodyType; readonly text: string };

export interface Argument {
  readonly parameter: Parameter;
  readonly value: Value;
}

const AS_JSON: readonly BodyType[] = ['json', 'jsonb'];

export function shapeOf(given: GivenArguments): CallShape {
  if (given.kind === 'opaque') return { names: [], body: [given.type], isOpaque: true };
  if (given.kind === 'texts') return { names: [...given.texts.keys()], body: [], isOpaque: false };
  return { names: [...given.values.keys()], body: given.whole === undefined ? [] : AS_JSON, isOpaque: false };
}

/** The values of all parameters of a query, by name. The last of repeated texts wins. */
export function readArguments(parameters: readonly Parameter[], given: GivenArguments): ReadonlyMap<string, Argument> {
  return new Map(parameters.map((parameter) => [parameter.name, { parameter, value: argumentOf(parameter, given) }]));
}

function argumentOf(parameter: Parameter, given: GivenArguments): Value {
  const { name, type } = parameter;
  try {
    if (given.kind === 'json' && given.values.has(name)) return storeJson(type, given.values.get(name));
    const text = given.kind === 'texts' ? given.texts.get(name)?.at(-1) : undefined;
    return text === undefined ? parameter.default! : type.store(text);
  } catch (error) {
    if (!(error instanceof ApiError) || error.hint !== null) throw error;
    throw error.with({ hint: `The parameter ${name} is of type ${type.title}.`, field: name });
  }
}

/** The arguments of a function, which the database converts. */
export function callArguments(given: GivenArguments, takesBody: boolean): CallArguments {
  if (given.kind === 'texts') return given;
  if (given.kind === 'opaque') return { kind: 'body', text: given.text };
  if (takesBody) return { kind: 'body', text: given.whole! };
  const { values } = given;
  return { kind: 'json', names: [...values.keys()], text: jsonText(Object.fromEntries(values)) };
}

/** The result of a function that returns nothing. */
const NOTHING: Collection = declareCollection({ name: 'nothing', key: [], fields: [] });

/** The rules of the caller's role apply to rows of a collection. */
export function planFunction(
  source: FunctionCall,
  { selects: _, ...query }: Refinement,
  page: Page,
  count: ReadPlan['count'],
  permissions: Permissions | undefined,
): ReadPlan {
  const { returns } = source.function;
  if (returns === undefined) {
    return { kind: 'read', from: NOTHING, columns: NO_COLUMNS, order: NO_ORDER, where: ALWAYS, offset: 0, source };
  }
  const { collection, isDeclared } = returns;
  return planRead(collection, query, page, count, isDeclared ? permissions : undefined, { source });
}

/** The row limit of `Prefer: max-affected`, which only a list can have. */
export function maxRowsOf({ returns }: DatabaseFunction, maxAffected: number | undefined): { maxRows?: number } {
  if (maxAffected === undefined) return {};
  if (returns?.many === true) return { maxRows: maxAffected };
  throw new ApiError(
    'PGRST128',
    'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
  );
}
