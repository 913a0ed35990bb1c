/** The description as a role needs it: the operations that it may use, the fields that it may give or change, and no more. */
import { type Catalogue, type Collection, isKey, stored } from '../collection/declaration.ts';
import type { Right } from '../collection/draft.ts';
import type { Row } from '../collection/value.ts';
import { oncePer } from '../once-per.ts';
import type { JsonObject } from './json.ts';
import { bodilessRefusal } from './responses.ts';
import { type Samples, samplesOf } from './samples.ts';

/** Whether callers have roles: then a request may be refused for want of credentials. */
export function hasRoles({ roles, closed }: Catalogue): boolean {
  return roles !== undefined || closed !== undefined;
}

/** Adds the fields of the key to those that a caller may read or send. */
export const withKeyFields = oncePer((collection: Collection): Collection => {
  const { fields } = collection;
  const all = [...stored(collection).byName.values()];
  const shown = all.filter((field) => fields.includes(field) || isKey(collection, field));
  return shown.length === fields.length ? collection : { ...collection, fields: shown };
});

/** Examples are rows of the catalogue where the caller sees all of them, and made up where not. */
export function samplesFor(collection: Collection, rows: (name: string) => readonly Row[]): Samples {
  return samplesOf(collection, collection.view?.readsAll === false ? [] : rows(collection.name));
}

/** The collection with the fields that a caller may send, and examples of them. Nobody may send a `readOnly` field. */
export function written(
  collection: Collection,
  part: 'creates' | 'updates',
  samples: Samples,
): readonly [Collection, Samples] {
  const sent = collection.view?.[part] ?? collection;
  const fields = sent.fields.filter(({ readOnly }) => !readOnly);
  if (sent === collection && fields.length === sent.fields.length) return [collection, samples];
  return [{ ...sent, fields }, samplesOf(withKeyFields({ ...sent, fields }), samples)];
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

/** Adds 401 to every operation on rows of a path. */
export function askCredentials(path: JsonObject): JsonObject {
  const asking = (method: string, operation: JsonObject): JsonObject => {
    const { responses } = operation as { responses?: JsonObject };
    if (responses?.['403'] === undefined) return operation;
    const refused = method === 'head' ? bodilessRefusal(401) : { $ref: '#/components/responses/Error401' };
    return { ...operation, responses: { ...responses, '401': refused } };
  };
  return Object.fromEntries(Object.entries(path).map(([method, each]) => [method, asking(method, each as JsonObject)]));
}
