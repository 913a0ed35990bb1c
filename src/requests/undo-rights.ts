/** The changes that a caller may select for an undo. */
import { ApiError, onError } from '../base/errors.ts';
import { fieldDenied, tableDenied } from '../collection/access/permission-errors.ts';
import { CHANGES_NAME } from '../collection/change-log.ts';
import { stored } from '../collection/declaration.ts';
import { namedFields } from '../plan/access/named-fields.ts';
import type { Permissions } from '../plan/access/permissions.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { ALWAYS, type Predicate, type ReadPlan } from '../plan/types.ts';
import type { Origin } from '../plan/write-plan.ts';

/** A caller with a name may undo its own changes. Those of others need rules that let it read them in the log. */
export function selectableChanges(plan: ReadPlan, permissions: Permissions | undefined, origin: Origin): Predicate {
  if (permissions === undefined) return ALWAYS;
  const readable = readableChanges(plan, permissions);
  const { actor, role } = origin;
  if (actor === undefined || role === undefined) {
    if (readable === undefined) throw tableDenied(CHANGES_NAME, 'read');
    return readable;
  }
  const own: Predicate = { kind: 'all', terms: [is(plan, 'actor', actor), is(plan, 'role', role)] };
  return readable === undefined ? own : { kind: 'any', terms: [readable, own] };
}

/** Undefined if the role may not read the fields that the plan names. Throws if it may not read who wrote. */
function readableChanges(plan: ReadPlan, permissions: Permissions): Predicate | undefined {
  const view = permissions.catalogue.builtIn.get(CHANGES_NAME)!;
  const named = namedFields(plan).get(plan.from) ?? new Set();
  const hidden = [...named].filter(({ name }) => !view.byName.has(name));
  const who = hidden.find(({ name }) => name === 'actor' || name === 'role');
  // Without this, the answer would be that such a person changed nothing.
  if (who !== undefined) throw fieldDenied(CHANGES_NAME, who.name, 'read');
  if (view.view?.rights.includes('read') !== true || hidden.length > 0) return undefined;
  const rows = () => permissions.rows(stored(view), 'read', named);
  return onError(ApiError, rows, (error) => {
    if (error.code === '42501') return undefined;
    throw error;
  });
}

function is({ from }: ReadPlan, field: string, value: string): Predicate {
  return { kind: 'compare', of: fieldExpression(from.byName.get(field)!), operator: '=', value };
}
