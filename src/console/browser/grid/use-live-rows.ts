/**
 * Changes of other people, live. New values appear in loaded rows and are marked for a while. The cell under the cursor
 * of an editor never changes. New and deleted rows do not move the list; a button reloads it.
 */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
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
import { cellName } from './use-edits.ts';
import type { ActiveEdit } from './use-grid.ts';

/** Changes within this time are read in one request. */
const GATHER_MS = 250;
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

export function useLiveRows(
  { collection }: ListQuery,
  isPending: (cell: string) => boolean,
  edit: ActiveEdit | undefined,
) {
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  const [isOutdated, setOutdated] = useState(false);
  const changed = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const editRef = useRef(edit);
  editRef.current = edit;

  const readChanges = async () => {
    const keys = changed.current;
    changed.current = new Set();
    timer.current = undefined;
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
  const onEvent = ({ kind, row }: FeedEvent) => {
    const isChange = kind === 'insert' || kind === 'row';
    if (!isChange || isOwnRequest(String(row.request_id))) return;
    if (row.kind !== 'update') return setOutdated(true);
    changed.current.add(keyText(collection, rowOfLogKey(collection, String(row.key))));
    timer.current ??= setTimeout(() => void readChanges().catch(() => undefined), GATHER_MS);
  };
  useFeed(useChangesUrl(collection), onEvent);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    marks,
    isOutdated,
    reload() {
      setOutdated(false);
      void invalidate(collection);
    },
  };
}
