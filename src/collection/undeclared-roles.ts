/** Keys and users of a role that is not declared, or not any more: whatever is sent with them is refused. */

export interface RoleHolder {
  readonly kind: 'key' | 'user';
  readonly name: string;
  readonly role: string;
}

const MOST_NAMED = 10;

/** Who they are, and what to do; undefined where every role is declared. */
export function undeclaredRoles(
  holders: readonly RoleHolder[],
  roles: ReadonlyMap<string, unknown>,
): string | undefined {
  const refused = holders.filter(({ role }) => !roles.has(role));
  if (refused.length === 0) return undefined;
  const named = refused.slice(0, MOST_NAMED).map(({ kind, name, role }) => `${kind} ${name} (${role})`);
  const others = refused.length - named.length;
  const list = [...named, ...(others > 0 ? [`${others} more`] : [])].join(', ');
  return `of a role that is not declared, and so refused: ${list}; declare the role, or use catalogue user role NAME --role ROLE, catalogue user remove NAME, catalogue key revoke NAME`;
}
