/** A role that requests without credentials never have, although its name says so. */
import { nearestName } from '../../base/nearest-name.ts';
import { ANONYMOUS } from './caller.ts';
import type { RoleHolders } from './undeclared-roles.ts';

/** As Supabase and others call it. */
const OTHER_NAMES = ['anon', 'public'];

/** The declared role that is probably meant to be `anonymous`; undefined if that one is declared. */
export function lookalikeRole(roles: ReadonlyMap<string, unknown>): string | undefined {
  if (roles.has(ANONYMOUS.role)) return undefined;
  return [...roles.keys()].find(
    (name) => OTHER_NAMES.includes(name.toLowerCase()) || nearestName(name, [ANONYMOUS.role]) !== undefined,
  );
}

/** The warning about such a role; undefined if a key or a user has it. */
export function similarToAnonymous(
  roles: ReadonlyMap<string, unknown>,
  { keys, users }: RoleHolders = { keys: [], users: [] },
): string | undefined {
  const lookalike = lookalikeRole(roles);
  if (lookalike === undefined || [...keys, ...users].some(({ role }) => role === lookalike)) return undefined;
  return `requests without credentials get 401: they have the role ${ANONYMOUS.role}, which is not declared; perhaps you meant it by ${lookalike}`;
}
