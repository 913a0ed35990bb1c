/** The description for a role: only the operations and fields that the role may use. */
import { memoize } from '../base/memo.ts';
import { isChangeLog } from '../collection/change-log.ts';
import { type Catalogue, type Collection, isKey, stored } from '../collection/declaration.ts';
import type { Right } from '../collection/draft.ts';
import { isFiles } from '../collection/files.ts';
import { listedMethods } from '../http/rows.ts';

/** Whether callers have roles. If so, a request may need credentials. */
export function hasRoles({ roles, closed }: Catalogue): boolean {
  return roles !== undefined || closed !== undefined;
}

/** Adds the fields of the key to those that a caller may read or send. */
export const withKeyFields = memoize((collection: Collection): Collection => {
  const { fields } = collection;
  const all = [...stored(collection).byName.values()];
  const shown = all.filter((field) => fields.includes(field) || isKey(collection, field));
  return shown.length === fields.length ? collection : { ...collection, fields: shown };
});

/** The collection with the fields that a caller may send. Nobody may send a `readOnly` field. */
export function writableBy(collection: Collection, part: 'creates' | 'updates'): Collection {
  const sent = collection.view?.[part] ?? collection;
  return { ...sent, fields: sent.fields.filter(({ readOnly }) => !readOnly) };
}

const READ: readonly Right[] = ['read'];

/** The rights that a request needs by its method, unless the operation names others. */
const NEEDED: Readonly<Record<string, readonly Right[]>> = {
  get: READ,
  post: ['create'],
  patch: ['read', 'update'],
  put: ['read', 'update'],
  delete: ['read', 'delete'],
};

/** The operations that the caller may use, by method. */
export function allowed<T extends { readonly needs?: readonly Right[] }>(
  collection: Collection,
  operations: Readonly<Record<string, T>>,
): readonly [method: string, operation: T][] {
  const rights = isChangeLog(collection) || isFiles(collection) ? READ : collection.view?.rights;
  const methods = listedMethods({ collection });
  return Object.entries(operations).filter(([method, { needs = NEEDED[method]! }]) => {
    const isPossible = methods.includes(method.toUpperCase());
    return isPossible && (rights === undefined || needs.every((right) => rights.includes(right)));
  });
}
