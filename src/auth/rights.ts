/** The rights of a role by field names, for pages that offer only permitted actions. Each request applies row rules. */
import { ANONYMOUS, type Caller } from '../collection/access/caller.ts';
import type { Catalogue, Field } from '../collection/declaration.ts';
import { RIGHTS, type Right } from '../collection/draft.ts';

/** For each collection, the fields that the role may read, create, update, and see in rows that it may delete. */
type FieldRights = Readonly<Record<Right, readonly string[]>>;
/** `users` also has the roles whose users the role manages, as in the declaration. */
export type Rights = Readonly<Record<string, FieldRights & { readonly manage?: readonly string[] }>>;

const NO_FIELDS: FieldRights = { read: [], create: [], update: [], delete: [] };

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
  const rights = Object.fromEntries(all.filter(([, some]) => Object.values(some).some((fields) => fields.length > 0)));
  const managesAll = declaredRole?.isAll === true && role !== ANONYMOUS.role;
  const manage = [...((managesAll ? roles?.keys() : declaredRole?.manages) ?? [])];
  return manage.length === 0 ? rights : { ...rights, users: { ...NO_FIELDS, ...rights.users, manage } };
}
