/** The description for a role: only the operations and fields that the role may use. */

import { memoize } from '../base/memo.ts';
import { isChangeLog } from '../collection/change-log.ts';
import { type Catalogue, type Collection, isKey, stored } from '../collection/declaration.ts';
import type { Right } from '../collection/draft.ts';
import { isFiles } from '../collection/files.ts';
import type { Row } from '../collection/value.ts';
import type { JsonObject } from './json.ts';
import { headError } from './responses.ts';
import { type Samples, samplesOf } from './samples.ts';

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

/** Examples are stored rows if the caller may read all rows. Otherwise they are generated. */
export function samplesFor(collection: Collection, rows: (name: string) => readonly Row[]): Samples {
  return samplesOf(collection, collection.view?.readsAll === false ? [] : rows(collection.name));
}

/** The collection with the fields that a caller may send, and examples of them. Nobody may send a `readOnly` field. */
export function writableBy(
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

/** The rights that each method of a collection, and of one of its rows, needs. */
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

/** The operations on a path that the caller may use. */
export function allowedOperations(collection: Collection, kind: 'collection' | 'item', path: JsonObject): JsonObject {
  const rights = isChangeLog(collection) || isFiles(collection) ? READ : collection.view?.rights;
  if (rights === undefined) return path;
  const isAllowed = (method: string) => (NEEDED[kind][method] ?? []).every((right) => rights.includes(right));
  return Object.fromEntries(Object.entries(path).filter(([method]) => isAllowed(method)));
}

export function mayWrite({ view }: Collection): boolean {
  return view?.rights.some((right) => right !== 'read') ?? true;
}

export function mayDelete({ view }: Collection): boolean {
  return view === undefined || DELETE.every((right) => view.rights.includes(right));
}

/** Adds 401 to every operation on rows of a path. */
export function askCredentials(path: JsonObject): JsonObject {
  const asking = (method: string, operation: JsonObject): JsonObject => {
    const { responses } = operation as { responses?: JsonObject };
    if (responses?.['403'] === undefined) return operation;
    const unauthorized = method === 'head' ? headError(401) : { $ref: '#/components/responses/Error401' };
    return { ...operation, responses: { ...responses, '401': unauthorized } };
  };
  return Object.fromEntries(Object.entries(path).map(([method, each]) => [method, asking(method, each as JsonObject)]));
}
