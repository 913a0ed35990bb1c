/**
 * Changes of other people, live. New values appear in loaded rows and are marked for a while. The cell under the cursor
 * of an editor never changes. New and deleted rows do not move the list; a button reloads it.
 */
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Collection, Row } from '../api/catalogue.ts';
import { lastChange, rowOfLogKey } from '../api/changes.ts';
import { type FeedEvent, useFeed } from '../api/feed.ts';
import { invalidate, loadedRows, patchLoadedRows } from '../api/queries.ts';
import { queryText } from '../api/query/filter-text.ts';
import { keyText } from '../api/query/keys.ts';
import type { ListQuery } from '../api/query/list.ts';
import { isOwnRequest } from '../api/rows.ts';
import { hidesLog } from '../api/session/page-data.ts';
import { readStored } from '../api/stored-rows.ts';
import { isSame } from '../base/same.ts';
import { cellName, isPending } from './edits.ts';
import type { ActiveEdit } from './use-grid.ts';

const MARKED_MS = 8_000;

/** The feed of changes after the last stored one; undefined if the service or the role has no history. */
function useChangesUrl({ name }: Collection): string | undefined {
  const { data } = useQuery({
    queryKey: ['feed-start', name],
    queryFn: () => lastChange(),
    enabled: !hidesLog,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return undefined;
  const query = queryText([
    ['select', 'seq,key,kind,request_id'],
    ['collection', `eq.${name}`],
    ['seq', `gt.${data}`],
  ]);
  return `/catalogue/changes?${query}`;
}

/** `reloads` is set for layouts in which a change moves rows, and nobody types. */
export function useLiveRows({ collection }: ListQuery, edit: ActiveEdit | undefined, reloads = false) {
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  const [isOutdated, setOutdated] = useState(false);
  const editRef = useRef(edit);
  editRef.current = edit;

  const readChanges = async (keys: ReadonlySet<string>) => {
    const shown = loadedRows(collection).filter((row) => keys.has(keyText(collection, row)));
    const stored = await readStored(collection, shown);
    const patches = new Map<string, Row>();
    const cells: string[] = [];
    for (const row of shown) {
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
    setMarks((before) => new Set([...before, ...cells]));
    setTimeout(() => setMarks((before) => new Set([...before].filter((cell) => !cells.includes(cell)))), MARKED_MS);
  };
  useFeed(useChangesUrl(collection), (events) => {
    const others = events.filter(
      ({ kind, row }) => (kind === 'insert' || kind === 'row') && !isOwnRequest(String(row.request_id)),
    );
    if (reloads) return void (others.length > 0 && invalidate(collection));
    const isUpdate = ({ row }: FeedEvent) => row.kind === 'update';
    if (!others.every(isUpdate)) setOutdated(true);
    const keys = others
      .filter(isUpdate)
      .map(({ row }) => keyText(collection, rowOfLogKey(collection, String(row.key))));
    if (keys.length > 0) void readChanges(new Set(keys)).catch(() => undefined);
  });
  return {
    marks,
    isOutdated,
    reload() {
      setOutdated(false);
      void invalidate(collection);
    },
  };
}
