/** The description as a role needs it: the operations that it may use, the fields that it may give or change, and no more. */
import { type Catalogue, type Collection, isKey } from '../collection/declaration.ts';
import type { Right } from '../collection/draft.ts';
import type { Row } from '../collection/value.ts';
import type { Json, JsonObject } from './json.ts';
import { bodilessRefusal } from './responses.ts';
import { type Samples, samplesOf } from './samples.ts';

/** Whether callers have roles: then a request may be refused for want of credentials. */
export function hasRoles({ roles, closed }: Catalogue): boolean {
  return roles !== undefined || closed !== undefined;
}

/** What is described of a collection has its key at least, whatever can be read. */
export function withKeyFields(collection: Collection): Collection {
  const { view, fields } = collection;
  if (view === undefined) return collection;
  return { ...collection, fields: view.of.fields.filter((field) => fields.includes(field) || isKey(view.of, field)) };
}

/** Examples are rows of the catalogue where the caller sees all of them, and made up where not. */
export function samplesFor(collection: Collection, rows: (name: string) => readonly Row[]): Samples {
  return samplesOf(collection, collection.view?.readsAll === false ? [] : rows(collection.name));
}

/** The collection with the fields that a caller may give a new row, or change, and examples of them. */
export function written(
  collection: Collection,
  part: 'creates' | 'updates',
  samples: Samples,
): readonly [Collection, Samples] {
  const some = collection.view?.[part];
  return some === undefined ? [collection, samples] : [some, samplesOf(withKeyFields(some), samples)];
}

const READ: readonly Right[] = ['read'];
const UPDATE: readonly Right[] = ['read', 'update'];
const DELETE: readonly Right[] = ['read', 'delete'];

/** By the methods of a collection, and of one of its rows. */
const NEEDED: Readonly<Record<'collection' | 'item', Readonly<Record<string, readonly Right[]>>>> = {
  collection: {
    get: READ,
    head: READ,
    post: ['create'],
    patch: UPDATE,
    put: ['read', 'create', 'update'],
    delete: DELETE,
  },
  item: { get: READ, head: READ, patch: UPDATE, put: UPDATE, delete: DELETE },
};

/** Of the operations on a path those that the caller may use. */
export function allowed({ view }: Collection, kind: 'collection' | 'item', path: JsonObject): JsonObject {
  if (view === undefined) return path;
  const isAllowed = (method: string) => (NEEDED[kind][method] ?? []).every((right) => view.rights.includes(right));
  return Object.fromEntries(Object.entries(path).filter(([method]) => isAllowed(method)));
}

/** Every operation on rows may be refused for want of credentials. */
export function askingCredentials(document: JsonObject): JsonObject {
  const { paths } = document as { paths: Record<string, Record<string, JsonObject>> } & JsonObject;
  const asking = (method: string, operation: JsonObject): JsonObject => {
    const { responses } = operation as { responses?: JsonObject };
    if (responses?.['403'] === undefined) return operation;
    const refused = method === 'head' ? bodilessRefusal(401) : { $ref: '#/components/responses/Error401' };
    return { ...operation, responses: { ...responses, '401': refused } };
  };
  const all = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, each]) => [method, asking(method, each)])),
  ]);
  return { ...document, paths: Object.fromEntries(all) };
}

/** Without components that nothing refers to any more. */
export function pruned(document: JsonObject): JsonObject {
  const { components, ...rest } = document as { components: Record<string, Record<string, Json>> } & JsonObject;
  const needed = new Set<string>();
  const look = (text: string) => {
    for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      const place = `${kind}/${name}`;
      if (needed.has(place)) continue;
      needed.add(place);
      look(JSON.stringify(components[kind!]?.[name!] ?? null));
    }
  };
  look(JSON.stringify(rest));
  const kept = Object.entries(components).map(([kind, all]) => {
    const some = Object.entries(all).filter(([name]) => kind === 'securitySchemes' || needed.has(`${kind}/${name}`));
    return [kind, Object.fromEntries(some)];
  });
  return { ...rest, components: Object.fromEntries(kept) as JsonObject };
}
