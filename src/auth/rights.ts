/** What a role may do, in names, for pages that offer only that. Which rows it may do it with, its rules tell with each request. */
import type { Caller } from '../collection/caller.ts';
import type { Catalogue, Collection, Role } from '../collection/declaration.ts';
import { RIGHTS, type Right } from '../collection/draft.ts';

/** Of each collection the fields that may be read, given to a new row, and changed, and those of rows that may be deleted. */
export type Rights = Readonly<Record<string, Readonly<Record<Right, readonly string[]>>>>;

export function rightsOf({ collections, roles }: Catalogue, { role }: Caller): Rights {
  const found = roles?.get(role);
  const all = [...collections.values()].map((collection) => [collection.name, rightsIn(collection, found)] as const);
  // What it may do nothing with, it does not hear of.
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
  // Of rows that may be deleted, no more is told than what can be read of them.
  return { ...rights, delete: rights.delete.length === 0 ? [] : rights.read };
}
