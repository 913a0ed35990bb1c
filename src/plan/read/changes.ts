/** Plans the log of changes as a caller sees it, and checks reads as of an earlier time. */
import { tableDenied } from '../../collection/access/permission-errors.ts';
import { CHANGES_NAME } from '../../collection/change-log.ts';
import { type Collection, stored } from '../../collection/declaration.ts';
import { changingCollections } from '../access/named-fields.ts';
import type { Permissions } from '../access/permissions.ts';
import { type Truth, truthOf } from '../truth.ts';
import { ALWAYS, fieldOf, type LogView, type Predicate, type ReadPlan } from '../types.ts';

/** Fields that only some rules of a role allow are left out. A filter on the collection saves the others. */
export function logViews(
  { name, among }: Collection,
  where: Predicate,
  permissions: Permissions | undefined,
): readonly LogView[] {
  if (permissions !== undefined && among.size === 0) throw tableDenied(name, 'read');
  return [...among.values()]
    .filter((each) => each.draft.history !== false && each.fields.length > 0 && holdsIn(where, each.name) !== false)
    .map((each) => {
      const collection = stored(each);
      return { collection, fields: each.fields, where: permissions?.rows(collection, 'read') ?? ALWAYS };
    });
}

/** Throws unless the role reads the changes of every collection of the plan, with the values before and after. */
export function checkAsOf(plan: ReadPlan, permissions: Permissions | undefined): void {
  if (permissions === undefined || plan.log !== undefined) return;
  const view = permissions.catalogue.builtIn.get(CHANGES_NAME)!;
  const values = [view.byName.get('before'), view.byName.get('after')].filter((field) => field !== undefined);
  if (values.length < 2) throw tableDenied(CHANGES_NAME, 'read');
  const rule = permissions.rows(stored(view), 'read', new Set(values));
  if (changingCollections(plan).some(({ name }) => holdsIn(rule, name) !== true))
    throw tableDenied(CHANGES_NAME, 'read');
}

/** Whether a condition holds for every change of a collection, or for none; undefined if it depends on the change. */
function holdsIn(rule: Predicate, name: string): Truth {
  return truthOf(rule, (of) => (fieldOf(of)?.name === 'collection' ? name : undefined));
}
