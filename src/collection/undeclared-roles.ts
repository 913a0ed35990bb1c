/** Finds API keys and users whose role is not declared. Requests with their credentials are rejected. */

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
