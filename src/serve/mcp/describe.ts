/** A collection as an agent sees it, for a role only with the fields and rights of the role. */
import type { Collection } from '../../collection/declaration.ts';
import { RIGHTS } from '../../collection/draft.ts';

/** Without roles, everyone may do everything. */
function rightsOf({ view }: Collection): readonly string[] {
  return view?.rights ?? RIGHTS;
}

export function mayWrite(collection: Collection): boolean {
  return rightsOf(collection).some((right) => right !== 'read');
}

export function describeCollection(collection: Collection): object {
  const { name, key, fields, references, draft } = collection;
  const { title, description } = draft;
  const written = new Set([...(collection.view?.creates?.fields ?? []), ...(collection.view?.updates?.fields ?? [])]);
  return {
    name,
    title,
    description,
    rights: rightsOf(collection),
    key: key.map((field) => field.name),
    fields: fields.map((field) => ({
      name: field.name,
      type: field.type.name,
      required: field.required || undefined,
      description: field.description,
      references: references.find((each) => each.field === field)?.to,
      readOnly: (collection.view !== undefined && ![...written].some((each) => each.name === field.name)) || undefined,
    })),
  };
}
