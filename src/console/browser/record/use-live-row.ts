/**
 * Follows a row and its comments while its page is open, so that others' changes appear at once. One feed has both:
 * browsers allow few connections to a host.
 */
import { useEffect, useRef, useState } from 'react';
import { rowField } from '../../../collection/comments.ts';
import { type Collection, commentsOf, type Row } from '../api/catalogue.ts';
import { logKey, readChanges, rowFilter } from '../api/changes.ts';
import { type FeedEvent, useFeed } from '../api/feed.ts';
import { invalidate } from '../api/queries.ts';
import { encodeValue, equals, keysFilter, keyText, pathOf, printName, queryText } from '../api/query/text.ts';
import { cacheTitles, selectTitles } from '../api/query/titles.ts';
import { queryClient } from '../api/query-client.ts';
import { changesOf, isOwnRequest } from '../api/rows.ts';
import { hidesLog } from '../api/session/page-data.ts';

/** The fields that someone else changed, with the name of the person; null if it is unknown. */
export type Marks = ReadonlyMap<string, string | null>;

const CHANGES = ['insert', 'update', 'delete', 'reset'];
/** The fields by which a comment is new, edited or deleted. */
const CHANGED_FIELDS = ['id', 'edited_at'];

/**
 * Follows a row. Events during an own save are left to the save. The feed of a list reloads the row beside it, if the
 * role reads the log.
 */
export function useLiveRow(collection: Collection, row: Row, isSaving: boolean, isPanel: boolean): Marks {
  const hasListFeed = isPanel && !hidesLog;
  const hasLog = collection.draft.history !== false;
  const [marks, setMarks] = useState<Marks>(new Map());
  const key = keyText(collection, row);
  const queryKey = ['row', collection.name, key];
  const mark = async (names: readonly string[]) => {
    const [last] = await readChanges(rowFilter(collection, logKey(key)), 1).catch(() => []);
    // An undo is also a change of this page.
    const isByAnotherPage = last === undefined ? hidesLog : last.request_id === null || !isOwnRequest(last.request_id);
    if (isByAnotherPage) setMarks(new Map(names.map((name) => [name, last?.actor ?? null])));
    void queryClient.invalidateQueries({ queryKey: ['changes'] });
  };
  const previous = useRef(row);
  const changedIn = (next: Row) =>
    Object.keys(changesOf(previous.current, next)).filter((name) => collection.byName.has(name));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another row is compared
  useEffect(() => {
    const changed = hasListFeed ? changedIn(row) : [];
    previous.current = row;
    if (changed.length > 0) void mark(changed);
  }, [row]);
  const comments = commentsOf(collection);
  const onEvents = (events: readonly FeedEvent[]) => {
    // The first event is the row as it is when the feed begins: someone may have changed it since the page read it.
    const { kind, row: stored } = events.findLast((event) => event.kind !== 'ready') ?? events[0]!;
    if (comments !== undefined && events.some((event) => CHANGES.includes(event.kind))) void invalidate(comments);
    // The events of comments.
    if (!hasLog) return;
    const { [comments?.name ?? '']: _, ...next } = stored;
    if (kind === 'delete' || kind === 'reset') void queryClient.invalidateQueries({ queryKey });
    if (!['row', 'update', 'insert'].includes(kind) || isSaving) return;
    const changed = changedIn(next);
    if (changed.length === 0) return;
    cacheTitles(collection, [next]);
    queryClient.setQueryData<Row>(queryKey, next);
    void mark(changed);
  };
  const fields = CHANGED_FIELDS.filter((name) => comments?.byName.has(name));
  const embedded = comments === undefined ? '' : `,${printName(comments.name)}(${fields})`;
  const select = encodeValue(`${selectTitles(collection) ?? '*'}${embedded}`);
  const rowUrl = `${pathOf(collection)}?${keysFilter(collection, [row])}&select=${select}`;
  const ofRow = queryText(collection.key.map(({ name }) => [printName(rowField(name)), equals(row[name])]));
  const commentsUrl = comments && `${pathOf(comments)}?${ofRow}`;
  useFeed(hasListFeed ? undefined : hasLog ? rowUrl : commentsUrl, onEvents);
  return marks;
}
