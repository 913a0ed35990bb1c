/** Keys and users whose role is not declared, or whose declaration has no roles at all. */

interface Holder {
  readonly name: string;
  readonly role: string;
}

export interface RoleHolders {
  readonly keys: readonly Holder[];
  readonly users: readonly Holder[];
}

const MOST_NAMED = 10;

/** The warning; undefined if every role is declared. */
export function undeclaredRoles({ keys, users }: RoleHolders, roles: ReadonlyMap<string, unknown>): string | undefined {
  const refusedOf = (kind: string, holders: readonly Holder[]) =>
    holders.filter(({ role }) => !roles.has(role)).map(({ name, role }) => `${kind} ${name} (${role})`);
  const refused = [...refusedOf('key', keys), ...refusedOf('user', users)];
  if (refused.length === 0) return undefined;
  const others = refused.length - MOST_NAMED;
  const list = [...refused.slice(0, MOST_NAMED), ...(others > 0 ? [`${others} more`] : [])].join(', ');
  return `of a role that is not declared, and so refused: ${list}; declare the role, or use catalogue user role NAME --role ROLE, catalogue user remove NAME, catalogue key revoke NAME`;
}

/** Why a service does not open such a database if its declaration has no roles; undefined if nobody has a key or an account. */
export function missingRoles({ keys, users }: RoleHolders): string | undefined {
  if (keys.length + users.length === 0) return undefined;
  const found = `${count(keys, 'key')} and ${count(users, 'user')}`;
  return `the declaration has no roles, but the database holds ${found}: anyone could read and change everything. Restore the roles, or serve it to everyone with --public`;
}

function count({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`;
}
