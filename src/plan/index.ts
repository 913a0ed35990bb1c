/** The plan of a write, by its method. */
import type { Collection } from '../collection/declaration.ts';
import { readObjects, readPayload } from '../dialect/payload.ts';
import type { Document } from '../http/body.ts';
import type { WritePlan } from './types.ts';
import {
  planDelete,
  planInsert,
  planReplace,
  planReplaceItem,
  planUpdate,
  planUpdateEach,
  type WriteRequest,
} from './write.ts';

export type WriteMethod = 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export function planWrite(
  collection: Collection,
  method: WriteMethod,
  request: WriteRequest,
  document: Document | undefined,
): WritePlan {
  if (document === undefined) return planDelete(collection, request);
  const { query, item } = request;
  const payload = () => readPayload(document, query.columns);
  switch (method) {
    case 'POST':
      return planInsert(collection, request, payload());
    case 'PUT':
      return item === undefined
        ? planReplace(collection, request, payload())
        : planReplaceItem(collection, request, payload());
    case 'DELETE':
      return planDelete(collection, request);
    case 'PATCH': {
      // A list without a filter is a bulk update: each object names its own product.
      const isBulk = item === undefined && query.conditions.length === 0 && query.limit === undefined;
      const objects = isBulk && query.columns === undefined ? readObjects(document) : undefined;
      return objects === undefined
        ? planUpdate(collection, request, payload())
        : planUpdateEach(collection, request, objects);
    }
  }
}
