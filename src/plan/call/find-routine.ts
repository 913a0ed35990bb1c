/** Finds the routine of a call by its name and the names of its arguments, as PostgREST does. */
import { ApiError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { routineDenied } from '../../collection/access/permission-errors.ts';
import type { Catalogue, Routine } from '../../collection/declaration.ts';

/** All routines of that name that the caller may call. */
export function routinesNamed({ routines, closedRoutines }: Catalogue, name: string): readonly Routine[] {
  const found = routines.get(name);
  if (found !== undefined) return found;
  if (closedRoutines?.has(name) === true) throw routineDenied(name);
  const nearest = nearestName(name, [...routines.keys()]);
  const none = routines.size === 0 ? 'There are no functions here. Declare queries.' : 'No function has this name.';
  throw new ApiError('PGRST202', `Could not find the function ${name} in the schema cache`, {
    hint: nearest === undefined ? none : `Perhaps you meant to call ${nearest}.`,
  });
}

/** The routine that takes arguments of these names, and no others. */
export function findRoutine(candidates: readonly Routine[], names: readonly string[]): Routine {
  const found = candidates.find((routine) => takes(routine, names));
  if (found !== undefined) return found;
  const { name } = candidates[0]!;
  const list = names.length === 0 ? ' without parameters' : `(${names.join(', ')})`;
  throw new ApiError('PGRST202', `Could not find the function ${name}${list} in the schema cache`, {
    details: `Searched for the function ${name} with the parameters ${names.join(', ') || 'none'}, but no matches were found in the schema cache.`,
    hint: `Call ${candidates.map(describe).join(' or ')}.`,
  });
}

/** The arguments include all parameters without a default, and nothing else. */
function takes({ parameters }: Routine, names: readonly string[]): boolean {
  const required = parameters.filter((parameter) => parameter.default === undefined);
  return (
    names.every((name) => parameters.some((parameter) => parameter.name === name)) &&
    required.every(({ name }) => names.includes(name))
  );
}

function describe({ name, parameters }: Routine): string {
  const list = parameters.map((each) => (each.default === undefined ? each.name : `${each.name}?`));
  return `${name}(${list.join(', ')})`;
}
