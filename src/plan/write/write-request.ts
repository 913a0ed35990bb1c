/** The options of a write besides its rows. */

import type { Report } from '../../base/error-list.ts';
import { type Collection, stored } from '../../collection/declaration.ts';
import type { Preferences } from '../../dialect/prefer.ts';
import type { Query } from '../../dialect/tree.ts';
import { shapeInLanguage } from '../in-language.ts';
import { withInner } from '../read/embed.ts';
import { hidesRowsOfNoKey } from '../read/order.ts';
import { skeletonOf } from '../read/skeleton.ts';
import type { Key } from '../resolve.ts';
import { ALWAYS } from '../types.ts';
import type { Precondition, WritePlan } from '../write-plan.ts';

/** The options of a write besides its query and body. */
export interface WriteRequest {
  readonly query: Query;
  /** The URL of the collection, for hints. */
  readonly url: string;
  readonly preferences: Preferences;
  /** The key in the path, if the write addresses one row. */
  readonly item?: string;
  readonly singular: boolean;
  readonly ifMatch?: Precondition['versions'];
  /** A PUT that may create a row but not replace one. */
  readonly createOnly: boolean;
  /** The language of the body, if it is that of translations. */
  readonly language?: string;
  /** The caller, as the author of new rows. */
  readonly author?: string | undefined;
  /** Whether a write without a filter may affect every row. */
  readonly allowUnfiltered: boolean;
  /** Receives the errors of rows and fields, if the client asks for all of them. */
  readonly report?: Report;
}

type Terms = Pick<WritePlan, 'into' | 'returning' | 'showsKey' | 'singular' | 'mustExist' | 'preconditions'>;

/** The options common to all writes, from headers and query. `areFound`: the write finds its rows in the database. */
export function planTerms(collection: Collection, request: WriteRequest, areFound = false): Terms {
  const { query, preferences, item, singular, ifMatch } = request;
  const { embeds, asked, total } = skeletonOf(collection, query);
  const isTotal = query.order.length > 0 || (areFound && hidesRowsOfNoKey(collection));
  const shape = isTotal ? total : asked;
  return {
    into: stored(collection),
    singular,
    mustExist: item !== undefined,
    ...(preferences.return === 'headers-only' ? { showsKey: true } : {}),
    ...(preferences.return === 'representation'
      ? { returning: { ...shapeInLanguage(shape, collection, query.language), where: withInner(ALWAYS, embeds) } }
      : {}),
    ...(ifMatch === undefined || item === undefined
      ? {}
      : { preconditions: [{ key: itemKey(collection, item), versions: ifMatch }] }),
  };
}

/** The key in a path. Only collections with a single key field have such paths. */
export function itemKey({ key }: Collection, item: string): Key {
  return [key[0]!.type.read(item)];
}
