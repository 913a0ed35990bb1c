/** The rights of a role by field names, for pages that offer only permitted actions. Row rules apply with each request. */
import type { Caller } from '../collection/caller.ts';
import type { Catalogue, Collection, Role } from '../collection/declaration.ts';
import { RIGHTS, type Right } from '../collection/draft.ts';

/** For each collection, the fields that the role may read, create, update, and see in rows that it may delete. */
export type Rights = Readonly<Record<string, Readonly<Record<Right, readonly string[]>>>>;

export function rightsOf({ collections, roles }: Catalogue, { role }: Caller): Rights {
  const found = roles?.get(role);
  const all = [...collections.values()].map((collection) => [collection.name, rightsIn(collection, found)] as const);
  // Omit collections without any right.
  return Object.fromEntries(all.filter(([, rights]) => Object.values(rights).some((fields) => fields.length > 0)));
}

function rightsIn(collection: Collection, role: Role | undefined): Record<Right, readonly string[]> {
  const rules = role?.rules.get(collection);
  const fieldsOf = (right: Right): readonly string[] => {
    const allowed = collection.fields.filter(
      (field) => role?.isAll === true || rules?.[right].some(({ fields }) => fields.has(field)) === true,
    );
    return allowed.map(({ name }) => name);
  };
  const rights = Object.fromEntries(RIGHTS.map((right) => [right, fieldsOf(right)])) as Record<
    Right,
    readonly string[]
  >;
  // Pages show the readable fields of a deletable row.
  return { ...rights, delete: rights.delete.length === 0 ? [] : rights.read };
}
