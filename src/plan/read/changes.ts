/** Plans the log of changes as a caller sees it: which collections, which of their fields, which rows. */

import { tableDenied } from '../../collection/access/permission-errors.ts';
import type { Collection } from '../../collection/declaration.ts';
import { stored } from '../../collection/declaration.ts';
import type { Permissions } from '../access/permissions.ts';
import { ALWAYS, fieldOf, type LogView, type Predicate } from '../types.ts';

/** Fields that only some rules of a role allow are left out. A filter on the collection saves the others. */
export function logViews(
  { name, among }: Collection,
  where: Predicate,
  permissions: Permissions | undefined,
): readonly LogView[] {
  if (permissions !== undefined && among.size === 0) throw tableDenied(name, 'read');
  const named = collectionsIn(where);
  return [...among.values()]
    .filter((each) => each.draft.history !== false && each.fields.length > 0 && (named?.has(each.name) ?? true))
    .map((each) => {
      const collection = stored(each);
      return { collection, fields: each.fields, where: permissions?.rows(collection, 'read') ?? ALWAYS };
    });
}

/** The collections that the condition names; undefined if it may be any. */
function collectionsIn(where: Predicate): ReadonlySet<unknown> | undefined {
  switch (where.kind) {
    case 'all':
      return where.terms.map(collectionsIn).find((names) => names !== undefined);
    case 'compare':
      return isCollection(where) && where.operator === '=' ? new Set([where.value]) : undefined;
    case 'in':
      return isCollection(where) ? new Set(where.values) : undefined;
    default:
      return undefined;
  }
}

function isCollection({ of }: Extract<Predicate, { kind: 'compare' | 'in' }>): boolean {
  return fieldOf(of)?.name === 'collection';
}
