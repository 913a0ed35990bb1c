/** Roles that cannot read the log of changes, in a declaration that does not say so. */
import type { Catalogue, Role } from '../catalogue.ts';

/** The fields that every role could read before the log had permissions. */
const FORMER_FIELDS = 'seq, at, role, request_id, collection, key, kind, before, after';

/** The warning; undefined if a role names the log, or none could read it. */
export function rolesWithoutLog({ draft, roles }: Pick<Catalogue, 'draft' | 'roles'>): string | undefined {
  if (roles === undefined || draft.roles?.some(({ namesLog }) => namesLog) === true) return undefined;
  const names = [...roles.values()].filter(readsLoggedRows).map(({ name }) => name);
  if (names.length === 0) return undefined;
  const rule = `changes: { read: { fields: [${FORMER_FIELDS}] } }`;
  return `roles without "all" need a permission for the log of changes (/changes, Prefer: as-of), and none has it: ${names.join(', ')}. Add "${rule}" to those that may read it (also with actor, if they may know who wrote), or "changes: {}" to one of them to keep the log closed and end this warning`;
}

function readsLoggedRows({ isAll, rules }: Role): boolean {
  return !isAll && [...rules].some(([{ draft }, { read }]) => draft.history !== false && read.length > 0);
}
