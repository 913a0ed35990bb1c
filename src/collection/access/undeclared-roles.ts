/** Keys and users whose role is not declared, or whose declaration has no roles at all. */
import { amount } from '../../base/amount.ts';

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
