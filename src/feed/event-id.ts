/**
 * The ids of events: a position of the log, and a checksum of the time of its entry. After a failover that lost
 * commits, or on a restored copy, another change may have the number of a position. It has another time. A list that
 * depends on the time also has the time of the event, so that a client can resume there.
 */
import { ApiError } from '../base/errors.ts';
import type { ChangeLog, LogPosition } from '../engine/engine.ts';

export interface EventId {
  readonly seq: number;
  /** Absent in a number alone, such as a `seq` of the log. */
  readonly checksum: string | undefined;
  readonly now: number | undefined;
}

/** A position of the log and, for a list that depends on the time, a time in milliseconds. */
export interface FeedPosition extends LogPosition {
  readonly now?: number | undefined;
}

export function eventId({ seq, at, now }: FeedPosition): string {
  return `${seq}-${checksumOf(at)}${now === undefined ? '' : `-${now.toString(36)}`}`;
}

function checksumOf(at: string): string {
  return Bun.hash.crc32(at).toString(36);
}

export function parseEventId(text: string | null): EventId | undefined {
  if (text === null || text === '') return undefined;
  const [, seq, checksum, now] = /^(\d{1,15})(?:-([0-9a-z]{1,7})(?:-([0-9a-z]{1,9}))?)?$/.exec(text) ?? [];
  if (seq !== undefined) return { seq: Number(seq), checksum, now: now === undefined ? now : Number.parseInt(now, 36) };
  throw new ApiError('PGRST100', `Last-Event-ID: '${text}' is not a position`, {
    hint: 'Send the id of the last event, or leave the header out.',
  });
}

/** The position that an id names; undefined if the log does not have its entry. */
export async function positionOf(
  log: ChangeLog,
  { seq, checksum }: Omit<EventId, 'now'>,
): Promise<LogPosition | undefined> {
  const at = (await log.timesAt(seq)).find((each) => checksum === undefined || checksumOf(each) === checksum);
  return at === undefined ? undefined : { seq, at };
}

export function isSame(one: LogPosition, other: LogPosition): boolean {
  return one.seq === other.seq && one.at === other.at;
}

/** Whether the log still has the entry of a position that was read from it. */
export async function isInLog(log: ChangeLog, { seq, at }: LogPosition): Promise<boolean> {
  return (await log.timesAt(seq)).includes(at);
}
