/** Roles that cannot read the log of changes, in a declaration that does not say so. */
import type { Catalogue, Role } from '../catalogue.ts';

/** The fields that every role could read before the log had permissions. */
const FORMER_FIELDS = 'seq, at, role, request_id, collection, key, kind, before, after';

/** The warning; undefined if a role names the log, or none could read it. */
export function rolesWithoutLog({ draft, roles }: Pick<Catalogue, 'draft' | 'roles'>): string | undefined {
  if (roles === undefined || draft.roles?.some(({ namesLog }) => namesLog) === true) return undefined;
  const names = [...roles.values()].filter(readsLoggedRows).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return `the log of changes (/changes, Prefer: as-of) needs a permission, which no role has but those with all; without it: ${names.join(', ')}. Add "changes: { read: { fields: [${FORMER_FIELDS}] } }" to the roles that may read it, or "changes: {}" to one that may not`;
}

function readsLoggedRows({ isAll, rules }: Role): boolean {
  return !isAll && [...rules].some(([{ draft }, { read }]) => draft.history !== false && read.length > 0);
}
