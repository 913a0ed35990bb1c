/** The rights of a role by field names, for pages that offer only permitted actions. Each request applies row rules. */
import type { Caller } from '../collection/access/caller.ts';
import type { Catalogue, Field } from '../collection/declaration.ts';
import { RIGHTS, type Right } from '../collection/draft.ts';

/** For each collection, the fields that the role may read, create, update, and see in rows that it may delete. */
export type Rights = Readonly<Record<string, Readonly<Record<Right, readonly string[]>>>>;

export function rightsOf({ collections, roles }: Catalogue, { role }: Caller): Rights {
  const declaredRole = roles?.get(role);
  const all = [...collections.values()].map((collection) => {
    const rules = declaredRole?.rules.get(collection);
    const mayUse = (right: Right, field: Field) =>
      declaredRole?.isAll === true ||
      // Pages set values.
      rules?.[right].some(({ fields, operations }) => fields.has(field) && (operations?.has('set') ?? true)) === true;
    const [read = [], create = [], update = [], remove = []] = RIGHTS.map((right) =>
      collection.fields.filter((field) => mayUse(right, field)).map(({ name }) => name),
    );
    // Pages show the readable fields of a deletable row.
    return [collection.name, { read, create, update, delete: remove.length === 0 ? [] : read }] as const;
  });
  // Omit collections without any right.
  return Object.fromEntries(all.filter(([, rights]) => Object.values(rights).some((fields) => fields.length > 0)));
}
