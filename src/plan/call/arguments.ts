/**
 * Finds the routine of a call by its name and the names of its arguments, as PostgREST does. Arguments are texts of a
 * query string or a form, JSON values of a body, or the whole body.
 */
import { ApiError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { routineDenied } from '../../collection/access/permission-errors.ts';
import {
  type Catalogue,
  type Collection,
  type DatabaseFunction,
  declareCollection,
  type Parameter,
  type Routine,
} from '../../collection/declaration.ts';
import { BODY_TYPES, type BodyType } from '../../collection/draft.ts';
import { jsonText } from '../../collection/exact-json.ts';
import { storeJson } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { Refinement, TextArguments } from '../../dialect/call-query.ts';
import type { Page } from '../../dialect/query.ts';
import type { Permissions } from '../access/permissions.ts';
import { NO_ORDER } from '../read/order.ts';
import { planRead } from '../read/read.ts';
import { NO_COLUMNS } from '../read/shape.ts';
import { ALWAYS, type CallArguments, type FunctionCall, type ReadPlan } from '../types.ts';

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

/** All routines of that name that the caller may call; empty if there are none. */
export function routinesNamed({ routines, closedRoutines }: Catalogue, name: string): readonly Routine[] {
  if (closedRoutines?.has(name) === true && !routines.has(name)) throw routineDenied(name);
  return routines.get(name) ?? [];
}

/** The input of a call: the names of its arguments, and the types that its body may have as a whole. */
interface CallShape {
  readonly names: readonly string[];
  readonly body: readonly BodyType[];
  /** The body is a text or bytes, so it has no names. */
  readonly isOpaque: boolean;
}

/** A name that was looked up, in the catalogue as the caller sees it. */
export interface Lookup {
  readonly name: string;
  readonly seen: Catalogue;
}

/** The routine that takes arguments of these names; otherwise the one that takes the whole body. */
export function findRoutine<Kind extends Routine>(candidates: readonly Kind[], shape: CallShape, lookup: Lookup): Kind {
  const named = candidates.filter((routine) => takes(routine, shape));
  const taking = (types: readonly BodyType[]) =>
    candidates.filter((routine) => 'body' in routine && types.includes(routine.body!));
  const whole = taking(shape.body);
  // `{"": …}` names the parameter without a name. As in PostgREST, it takes the whole body.
  const isUnnamed = shape.body.length > 0 && shape.names.length === 1 && shape.names[0] === '';
  const [found, ...others] = [named, whole, isUnnamed ? taking(BODY_TYPES) : []].find((each) => each.length > 0) ?? [];
  if (found === undefined) throw notFound(candidates, shape, lookup);
  if (others.length > 0) throw ambiguous([found, ...others], lookup);
  return found;
}

/** The arguments include all required parameters, and nothing else than parameters. */
function takes(routine: Routine, { names, isOpaque }: CallShape): boolean {
  const { parameters } = routine;
  if (isOpaque) return false;
  if ('body' in routine && routine.body !== undefined) return routine.isBodyOptional === true && names.length === 0;
  return (
    names.every((name) => parameters.some((parameter) => parameter.name === name)) &&
    parameters.every(({ name, isRequired }) => !isRequired || names.includes(name))
  );
}

function qualified(name: string, { seen: { draft } }: Lookup): string {
  return draft.schema === undefined ? name : `${draft.schema}.${name}`;
}

function notFound(candidates: readonly Routine[], { names, body, isOpaque }: CallShape, lookup: Lookup): ApiError {
  const name = qualified(lookup.name, lookup);
  const list = isOpaque ? '' : names.length === 0 ? ' without parameters' : `(${names.join(', ')})`;
  const several = names.length === 1 ? '' : 's';
  const parameters = names.length === 0 ? ' without parameters' : ` with parameter${several} ${names.join(', ')}`;
  const whole = body.length === 0 ? '' : `${isOpaque ? '' : ' or'} with a single unnamed ${body.join('/')} parameter`;
  return new ApiError('PGRST202', `Could not find the function ${name}${list} in the schema cache`, {
    details: `Searched for the function ${name}${isOpaque ? '' : parameters}${whole}, but no matches were found in the schema cache.`,
    hint: hintFor(candidates, lookup),
  });
}

function hintFor(candidates: readonly Routine[], lookup: Lookup): string | undefined {
  const { routines, draft } = lookup.seen;
  const nearest = candidates.length === 0 ? nearestName(lookup.name, [...routines.keys()]) : undefined;
  if (nearest !== undefined) return `Perhaps you meant to call the function ${qualified(nearest, lookup)}`;
  if (draft.schema !== undefined) return undefined;
  if (candidates.length > 0) return `Call ${candidates.map(describe).join(' or ')}.`;
  return routines.size === 0 ? 'There are no functions here. Declare queries.' : 'No function has this name.';
}

/** Those with fewer parameters first, as in PostgREST. */
function ambiguous(candidates: readonly Routine[], lookup: Lookup): ApiError {
  const lists = candidates.map((routine) => {
    const unnamed = 'body' in routine && routine.body !== undefined ? [` => ${routine.body}`] : [];
    return [...unnamed, ...routine.parameters.map(({ name, type }) => `${name} => ${type.title}`)];
  });
  const sorted = lists.sort((one, other) => one.length - other.length || (one.join() < other.join() ? -1 : 1));
  const printed = sorted.map((list) => `${qualified(lookup.name, lookup)}(${list.join(', ')})`);
  return new ApiError('PGRST203', `Could not choose the best candidate function between: ${printed.join(', ')}`, {
    hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  });
}

function describe(routine: Routine): string {
  if ('body' in routine && routine.body !== undefined) return `${routine.name} with a body of type ${routine.body}`;
  const list = routine.parameters.map(({ name, isRequired }) => (isRequired ? name : `${name}?`));
  return `${routine.name}(${list.join(', ')})`;
}
