/** Follows a row while its page is open, so that others' changes appear at once. */
import { useState } from 'react';
import type { Collection, Row } from '../api/catalogue.ts';
import { type FeedEvent, useFeed } from '../api/feed.ts';
import { keysFilter, keyText } from '../api/keys.ts';
import { queryClient } from '../api/queries.ts';
import { changesOf } from '../api/rows.ts';
import { cacheTitles, selectTitles } from '../api/titles.ts';

/** Returns the fields that someone else changed. Events during an own save are left to the save. */
export function useLiveRow(collection: Collection, row: Row, isSaving: boolean): ReadonlySet<string> {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const queryKey = ['row', collection.name, keyText(collection, row)];
  const onEvent = ({ kind, row: next }: FeedEvent) => {
    if (kind === 'delete' || kind === 'reset') void queryClient.invalidateQueries({ queryKey });
    if ((kind !== 'update' && kind !== 'insert') || isSaving) return;
    const changed = Object.keys(changesOf(row, next)).filter((name) => collection.byName.has(name));
    if (changed.length === 0) return;
    cacheTitles(collection, [next]);
    queryClient.setQueryData<Row>(queryKey, next);
    setMarked(new Set(changed));
    void queryClient.invalidateQueries({ queryKey: ['changes'] });
  };
  const select = selectTitles(collection);
  const url = `/${collection.name}?${keysFilter(collection, [row])}${select === undefined ? '' : `&select=${select}`}`;
  useFeed(collection.draft.history === false ? undefined : url, onEvent);
  return marked;
}
