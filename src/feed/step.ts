/**
 * A step of a feed: the events that lead from the list as of one position to the list as of a later one. A row that
 * changed several times in between has one event.
 */

import { ApiError } from '../base/errors.ts';
import { MAX_STEP_BYTES, STEP_CHANGES } from '../base/limits/feed.ts';
import { type Collection, stored } from '../collection/declaration.ts';
import { pageOf } from '../dialect/query.ts';
import { type Reader, readFirstLines, streamLines } from '../engine/row-store.ts';
import type { Call } from '../http/call.ts';
import { changingCollections } from '../plan/access/named-fields.ts';
import { andAlso, type Permissions } from '../plan/access/permissions.ts';
import { atMoment, isTimed } from '../plan/at-moment.ts';
import { planRead } from '../plan/read/read.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { fieldOf, type ReadPlan } from '../plan/types.ts';
import { affectedKeys } from './affected-keys.ts';
import { type Changes, hasKey, isAfter } from './changed-keys.ts';
import { eventId, type FeedPosition } from './event-id.ts';
import { type Chunk, type FeedEvent, LiveCall } from './feed-event.ts';

export interface FeedPlan {
  /** The list. */
  readonly list: ReadPlan;
  /** The list with the key of each row before its columns. */
  readonly keyed: ReadPlan;
  /** The names of the key in the rows. */
  readonly keyNames: readonly string[];
  readonly collections: readonly Collection[];
  /** Whether a `LiveCall` asks for it. Then the list has no filter; `matching` has the keys that match one. */
  readonly isLive: boolean;
  readonly matching?: ReadPlan;
  /** Whether rows enter and leave with the time. Entries of the log do not. */
  readonly isTimed: boolean;
}

/** The plan at a time in milliseconds. */
function feedPlanAt(plan: FeedPlan, now = Date.now()): FeedPlan {
  const { list, keyed, matching } = plan;
  if (!plan.isTimed && list.log === undefined) return plan;
  const bound = { ...plan, list: atMoment(list, now), keyed: atMoment(keyed, now) };
  return matching === undefined ? bound : { ...bound, matching: atMoment(matching, now) };
}

export function planFeed(call: Call, collection: Collection, permissions: Permissions | undefined): FeedPlan {
  const query = call.parseQuery();
  const page = pageOf(query, call.range);
  if (page.limit !== undefined || page.offset > 0) {
    throw unsupported('limit, offset and Range', 'Use a filter: the feed has every row that matches.');
  }
  if (call.preferences['as-of'] !== undefined) {
    throw unsupported('Prefer: as-of', 'Send Last-Event-ID to resume at a position.');
  }
  const isLive = call instanceof LiveCall;
  const matching = planRead(collection, query, page, undefined, permissions);
  const list = isLive ? planRead(collection, { ...query, conditions: [] }, page, undefined, permissions) : matching;
  if (list.groupBy !== undefined) {
    throw unsupported('aggregates', 'Follow the rows, and compute the aggregates from them.');
  }
  if (matching.search !== undefined) throw unsupported('search', 'Filter by other operators, such as ilike.');
  const { from, columns, log } = list;
  const keyNames = from.key.map((field) => {
    const column = columns.find(({ expression }) => fieldOf(expression) === field);
    if (column !== undefined) return column.name;
    throw unsupported('select without the key', `Add ${field.name} to select: it identifies the row of an event.`);
  });
  const keys = from.key.map((field, index) => ({ name: `key ${index}`, expression: fieldExpression(field) }));
  return {
    isLive,
    isTimed: log === undefined && (isTimed(list) || isTimed(matching)),
    ...(isLive && query.conditions.length > 0 ? { matching: { ...matching, columns: keys } } : {}),
    list,
    keyed: { ...list, columns: [...keys, ...columns] },
    keyNames,
    collections: log?.map((view) => view.collection) ?? changingCollections(list),
  };
}

function unsupported(what: string, hint: string): ApiError {
  return new ApiError('PGRST127', `a feed does not support ${what}`, { hint });
}

const encoder = new TextEncoder();

/** The events of a step in the form that the subscribers of a plan receive. */
export function stepChunk({ isLive }: FeedPlan, events: readonly FeedEvent[], position?: FeedPosition): Chunk {
  if (!isLive) return encoder.encode(eventText(events, position));
  const length = events.reduce((sum, { data, key = '' }) => sum + data.length + key.length, 0);
  return { events, id: position && eventId(position), length };
}

/** A chunk without events, which also shows that the connection works. */
export function heartbeat({ isLive }: FeedPlan, position: FeedPosition): Chunk {
  const id = eventId(position);
  return isLive ? { events: [], id, length: 1 } : encoder.encode(`:\nid: ${id}\n\n`);
}

/** An event without data would not reach a browser's listeners. */
export const NO_DATA = '{}';

/** Only the last event has the position, so that a client that missed it repeats the step. */
export function eventText(events: readonly FeedEvent[], position?: FeedPosition): string {
  const last = events.length - 1;
  return events
    .map(({ name, data }, index) => {
      const id = index === last && position !== undefined ? `id: ${eventId(position)}\n` : '';
      return `event: ${name}\n${id}data: ${data}\n\n`;
    })
    .join('');
}

/** Every row of the list as of a position. */
export async function* rowsAt(reader: Reader, plan: FeedPlan, { seq, now }: FeedPosition): AsyncGenerator<string> {
  for await (const lines of streamLines(reader, feedPlanAt(plan, now).list, seq)) {
    yield eventText(lines.map((data) => ({ name: 'row', data })));
  }
}

/** If the rows of a part are too long, it yields that and continues with smaller parts. */
export async function* stepEvents(
  reader: Reader,
  plan: FeedPlan,
  from: FeedPosition,
  { keys: changed, upTo: { seq: upTo } }: Changes,
  now?: number,
): AsyncGenerator<readonly FeedEvent[] | 'too long'> {
  const [earlier, later] = [feedPlanAt(plan, from.now), feedPlanAt(plan, now)];
  const { list } = later;
  if (!plan.isTimed && !plan.collections.some(({ name }) => changed.has(name))) return;
  if (list.log !== undefined) {
    // Entries of the log only appear.
    const entries = { ...list, where: andAlso(isAfter(list.from.key[0]!, from.seq), list.where) };
    for await (const lines of streamLines(reader, entries, upTo)) {
      yield lines.map((data) => ({ name: 'insert', data, key: '{}' }));
    }
    return;
  }
  const keys = [...(await affectedKeys(reader, list, from, { ...from, seq: upTo, now }, changed))];
  for (let start = 0, most = STEP_CHANGES; start < keys.length; ) {
    // A slow client keeps only the events in memory, not the rows that were read for them.
    const some = keys.slice(start, start + most);
    const events = await eventsAmong(reader, some, [earlier, from.seq], [later, upTo]);
    yield events;
    if (events === 'too long') most = Math.ceil(some.length / 4);
    else start += some.length;
  }
}

/** A plan, bound to a time, and a position. */
type PlanAt = readonly [plan: FeedPlan, position: number];

/** A single row may have any length. */
async function eventsAmong(
  reader: Reader,
  keys: readonly string[],
  [earlier, from]: PlanAt,
  [plan, upTo]: PlanAt,
): Promise<readonly FeedEvent[] | 'too long'> {
  const { list, keyed, keyNames, matching } = plan;
  const where = hasKey(stored(list.from), keys);
  const longest = keys.length === 1 ? Number.POSITIVE_INFINITY : MAX_STEP_BYTES;
  const read = async (each: ReadPlan, position: number): Promise<Rows | undefined> => {
    const some = { ...each, where: andAlso(where, each.where) };
    const { lines, isComplete } = await readFirstLines(reader, some, position, longest);
    return isComplete ? new Map(lines.map((line) => keyedRow(line, keyNames))) : undefined;
  };
  const [before, after, matches] = await Promise.all([
    read(earlier.keyed, from),
    read(keyed, upTo),
    matching && read(matching, upTo),
  ]);
  const isWhole = before !== undefined && after !== undefined && (matching === undefined || matches !== undefined);
  if (!isWhole) return 'too long';
  const events = differences(before, after);
  return plan.isLive ? liveEvents(events, matches) : events.map(({ name, key, row = key }) => ({ name, data: row }));
}

type Rows = ReadonlyMap<string, string>;

const MEMBER = /[{,]"key \d+":("(?:[^"\\]|\\.)*"|[^,}]+)/y;

/** Splits a row into its key, as a JSON object under the names that the row has for it, and the columns that follow. */
function keyedRow(line: string, keyNames: readonly string[]): readonly [key: string, row: string] {
  MEMBER.lastIndex = 0;
  const members = keyNames.map((name) => `${JSON.stringify(name)}:${MEMBER.exec(line)![1]}`);
  return [`{${members.join(',')}}`, `{${line.slice(MEMBER.lastIndex + 1)}`];
}

interface Difference {
  readonly name: 'insert' | 'update' | 'delete';
  readonly key: string;
  readonly row?: string;
}

/** Deletes come first: an inserted row may have the unique value of a deleted one. */
function differences(before: Rows, after: Rows): readonly Difference[] {
  const left = [...before.keys()].filter((key) => !after.has(key));
  const found: Difference[] = left.map((key) => ({ name: 'delete', key }));
  for (const [key, row] of after) {
    const earlier = before.get(key);
    if (earlier === undefined) found.push({ name: 'insert', key, row });
    else if (earlier !== row) found.push({ name: 'update', key, row });
  }
  return found;
}

/** A filter applies to the row after the change. So a delete always has an event. */
function liveEvents(found: readonly Difference[], matches: Rows | undefined): readonly FeedEvent[] {
  return found
    .filter(({ name, key }) => name === 'delete' || matches?.has(key) !== false)
    .map(({ name, key, row = key }) => ({ name, data: row, key }));
}
