/** Warnings about roles: one that nobody has, holders without a declared role, and roles that cannot read the log. */

import { amount } from '../../base/amount.ts';
import { nearestName } from '../../base/nearest-name.ts';
import type { Catalogue, Role } from '../catalogue.ts';
import { ANONYMOUS } from './caller.ts';

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

interface Holder {
  readonly name: string;
  readonly role: string;
}

export interface RoleHolders {
  readonly keys: readonly Holder[];
  readonly users: readonly Holder[];
}

const MAX_NAMES = 10;

/** The warning; undefined if every role is declared. */
export function undeclaredRoles({ keys, users }: RoleHolders, roles: ReadonlyMap<string, unknown>): string | undefined {
  const rejectedOf = (kind: string, holders: readonly Holder[]) =>
    holders.filter(({ role }) => !roles.has(role)).map(({ name, role }) => `${kind} ${name} (${role})`);
  const rejected = [...rejectedOf('key', keys), ...rejectedOf('user', users)];
  if (rejected.length === 0) return undefined;
  const others = rejected.length - MAX_NAMES;
  const list = [...rejected.slice(0, MAX_NAMES), ...(others > 0 ? [`${others} more`] : [])].join(', ');
  return `rejected because their role is not declared: ${list}; declare the role, or use catalogue user role NAME --role ROLE, catalogue user remove NAME, catalogue key revoke NAME`;
}

/** Why a service without declared roles does not open such a database; undefined if it has no keys and no users. */
export function missingRoles({ keys, users }: RoleHolders): string | undefined {
  if (keys.length + users.length === 0) return undefined;
  const counts = `${amount(keys.length, 'key')} and ${amount(users.length, 'user')}`;
  return `the declaration has no roles, but the database holds ${counts}: anyone could read and change everything. Restore the roles, or serve it to everyone with --public`;
}

/** The fields that every role could read before the log had permissions. */
const FORMER_FIELDS = 'seq, at, role, request_id, collection, key, kind, before, after';

/** The warning; undefined if a role names the log, or none could read it. */
export function rolesWithoutLog({ draft, roles }: Pick<Catalogue, 'draft' | 'roles'>): string | undefined {
  if (roles === undefined || draft.roles?.some(({ namesLog }) => namesLog) === true) return undefined;
  const names = [...roles.values()].filter(readsLoggedRows).map(({ name }) => name);
  if (names.length === 0) return undefined;
  const rule = `changes: { read: { fields: [${FORMER_FIELDS}] } }`;
  return `these roles cannot read the log of changes (/changes, Prefer: as-of): ${names.join(', ')}. A role without "all" needs a permission for it. Add "${rule}" to roles that may read it. Add actor to the fields if they may know who wrote. To keep the log closed and end this warning, add "changes: {}" to one role`;
}

function readsLoggedRows({ isAll, rules }: Role): boolean {
  return !isAll && [...rules].some(([{ draft }, { read }]) => draft.history !== false && read.length > 0);
}
