/** Finds a role that was probably meant to be `anonymous`. */
import { nearestName } from '../nearest-name.ts';
import { ANONYMOUS } from './caller.ts';
import type { RoleHolders } from './undeclared-roles.ts';

/** Supabase's name for it. */
const SHORT = 'anon';

/** The warning; undefined if `anonymous` exists, or if a key or user has the role. */
export function meantAnonymous(
  roles: ReadonlyMap<string, unknown>,
  { keys, users }: RoleHolders = { keys: [], users: [] },
): string | undefined {
  if (roles.has(ANONYMOUS.role)) return undefined;
  const isMeant = (name: string) => name === SHORT || nearestName(name, [ANONYMOUS.role]) !== undefined;
  const found = [...roles.keys()].find(isMeant);
  if (found === undefined || [...keys, ...users].some(({ role }) => role === found)) return undefined;
  return `there is a role ${found}, and none called ${ANONYMOUS.role}, which requests without credentials have: they get 401; perhaps you meant ${ANONYMOUS.role}`;
}
