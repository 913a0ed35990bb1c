/** Finds the routine of a call by its name and the names of its arguments, as PostgREST does. */
import { ApiError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { routineDenied } from '../../collection/access/permission-errors.ts';
import type { Catalogue, Routine } from '../../collection/declaration.ts';
import { BODY_TYPES, type BodyType } from '../../collection/draft.ts';

/** All routines of that name that the caller may call; empty if there are none. */
export function routinesNamed({ routines, closedRoutines }: Catalogue, name: string): readonly Routine[] {
  if (closedRoutines?.has(name) === true && !routines.has(name)) throw routineDenied(name);
  return routines.get(name) ?? [];
}

/** The input of a call: the names of its arguments, and the types that its body may have as a whole. */
export interface CallShape {
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
