/** A role that nobody can have, since it is called almost as the one of requests without credentials is. */
import { nearestName } from '../nearest-name.ts';
import { ANONYMOUS } from './caller.ts';
import type { RoleHolders } from './undeclared-roles.ts';

/** As Supabase calls it. */
const SHORT = 'anon';

/** What to say of it; undefined where there is `anonymous`, or where a key or a person has the role. */
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
