/**
 * Changes of other people, live. New values appear in loaded rows and are marked for a while. The cell under the cursor
 * of an editor never changes. New and deleted rows do not move the list; a button reloads it. The row beside the list
 * and its comments have no feed of their own: browsers allow few connections to a host.
 */
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Collection, commentsOf, type Row } from '../api/catalogue.ts';
import { lastChange, rowOfLogKey } from '../api/changes.ts';
import { useFeed } from '../api/feed.ts';
import { feedKey, invalidate, loadedRows, patchLoadedRows } from '../api/queries.ts';
import type { ListQuery } from '../api/query/list.ts';
import { keyText, queryText, quoted } from '../api/query/text.ts';
import { queryClient } from '../api/query-client.ts';
import { isOwnRequest } from '../api/rows.ts';
import { hidesLog } from '../api/session/page-data.ts';
import { readStored } from '../api/stored-rows.ts';
import { isSame } from '../base/same.ts';
import { Store } from '../base/store.ts';
import { cellName, isPending } from './edits.ts';
import type { ActiveEdit } from './use-grid.ts';

const MARKED_MS = 8_000;
/** The names of the cells that others have just changed. */
export const markedCells = new Store<ReadonlySet<string>>(new Set());

/** The feed of changes after the last stored one; undefined if the service or the role has no history. */
function useChangesUrl(collection: Collection, comments: Collection | undefined): string | undefined {
  const { data } = useQuery({
    queryKey: feedKey(collection),
    queryFn: () => lastChange(),
    enabled: !hidesLog,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return undefined;
  const names = [collection, ...(comments === undefined ? [] : [comments])].map(({ name }) => quoted(name));
  const query = queryText([
    ['select', 'seq,collection,key,kind,request_id'],
    ['collection', `in.(${names.join(',')})`],
    ['seq', `gt.${data}`],
  ]);
  return `/catalogue/changes?${query}`;
}

/** `reloads` is set for layouts in which a change moves rows, and nobody types. */
export function useLiveRows({ collection }: ListQuery, edit: ActiveEdit | undefined, reloads = false) {
  const [isOutdated, setOutdated] = useState(false);
  const editRef = useRef(edit);
  editRef.current = edit;

  const readChanges = async (keys: ReadonlySet<string>) => {
    const shown = () => loadedRows(collection).filter((row) => keys.has(keyText(collection, row)));
    const stored = await readStored(collection, shown());
    const patches = new Map<string, Row>();
    const cells: string[] = [];
    for (const row of shown()) {
      const key = keyText(collection, row);
      const now = stored.get(key);
      if (now === undefined) continue;
      const isEdited = (name: string) =>
        editRef.current?.field.name === name && keyText(collection, editRef.current.row) === key;
      const values = Object.entries(now).filter(
        ([name, value]) =>
          !isSame(value, row[name]) && !isEdited(name) && !isPending(cellName(collection, row, { name })),
      );
      patches.set(key, Object.fromEntries(values));
      cells.push(...values.map(([name]) => cellName(collection, row, { name })));
    }
    patchLoadedRows(collection, patches);
    markedCells.set(new Set([...markedCells.get(), ...cells]));
    setTimeout(() => markedCells.set(new Set(markedCells.get()).difference(new Set(cells))), MARKED_MS);
  };
  const comments = commentsOf(collection);
  useFeed(useChangesUrl(collection, comments), (events) => {
    const others = events.filter(
      ({ kind, row }) => (kind === 'insert' || kind === 'row') && !isOwnRequest(String(row.request_id)),
    );
    const changes = others.filter(({ row }) => row.collection === collection.name);
    if (comments !== undefined && changes.length < others.length) void invalidate(comments);
    if (changes.length === 0) return;
    if (reloads) return void invalidate(collection);
    if (changes.some(({ row }) => row.kind !== 'update')) setOutdated(true);
    const keys = new Set(changes.map(({ row }) => keyText(collection, rowOfLogKey(collection, String(row.key)))));
    const isChanged = ({ queryKey: [, , key] }: { readonly queryKey: readonly unknown[] }) => keys.has(String(key));
    void queryClient.invalidateQueries({ queryKey: ['row', collection.name], predicate: isChanged });
    void readChanges(keys).catch(() => undefined);
  });
  return {
    isOutdated,
    reload() {
      setOutdated(false);
      void invalidate(collection);
    },
  };
}
