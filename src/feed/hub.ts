/**
 * Follows the log of changes for all feeds of a process. Clients of the same list with the same permissions form a
 * group: each step is evaluated and encoded once for all of them.
 */
import { MAX_STEP_BYTES, PARALLEL_STEPS, STEP_CHANGES, STEP_MS, STEP_PAUSE_MS } from '../base/limits/feed.ts';
import type { Collection } from '../collection/declaration.ts';
import type { ChangeLog, Engine, LogPosition } from '../engine/engine.ts';
import { type Changes, changesAfter } from './changed-keys.ts';
import { eventId, isInLog, isSame } from './event-id.ts';
import type { FeedPlan } from './feed-plan.ts';
import { eventText, type FeedEvent, stepEvents } from './step.ts';
import type { Subscriber } from './subscriber.ts';

const encoder = new TextEncoder();

interface Group {
  readonly plan: FeedPlan;
  readonly members: Set<Subscriber>;
}

/** The events of a step. If they are too long, the step covers fewer changes. */
type Chunk = { readonly events: number; readonly bytes: Uint8Array } | 'too long';

export class Hub {
  /** Events sent to clients, for the metrics. */
  events = 0;
  /** All groups have received the changes up to this position. */
  position: LogPosition = { seq: 0, at: '' };
  private readonly groups = new Map<string, Group>();
  private advancing: Promise<LogPosition> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private changeCount: number | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly log: ChangeLog,
    private readonly collections: readonly Collection[],
  ) {}

  /** Adds a client that has received everything up to this position; false if the group has received more. */
  join(subscriber: Subscriber, name: string, plan: FeedPlan, position: LogPosition): boolean {
    if (!isSame(position, this.position)) return false;
    const group = this.groups.get(name) ?? { plan, members: new Set() };
    group.members.add(subscriber);
    this.groups.set(name, group);
    this.timer ??= setTimeout(this.tick, STEP_MS);
    return true;
  }

  leave(subscriber: Subscriber, name: string): void {
    const group = this.groups.get(name);
    if (group?.members.delete(subscriber) === true && group.members.size === 0) this.groups.delete(name);
  }

  /** Sends the newest changes to all groups. Concurrent calls share one step. Returns the position. */
  advance(): Promise<LogPosition> {
    this.advancing ??= this.step().finally(() => {
      this.advancing = undefined;
    });
    return this.advancing;
  }

  /** Sends each client a position, which also shows that the connection works. */
  beat(): void {
    const chunk = encoder.encode(`:\nid: ${eventId(this.position)}\n\n`);
    for (const { members } of this.groups.values()) for (const member of members) member.publish(chunk);
  }

  private readonly tick = async (): Promise<void> => {
    const { events } = this;
    const changeCount = this.engine.changes?.current();
    if (changeCount === undefined || changeCount !== this.changeCount) {
      // A step that another call began may end before these changes, so the next tick looks again.
      const isOwn = this.advancing === undefined;
      // While the database does not answer, clients wait.
      await this.advance().then(
        () => {
          if (isOwn) this.changeCount = changeCount;
        },
        () => undefined,
      );
    }
    const pause = this.events === events ? STEP_MS : STEP_PAUSE_MS;
    this.timer = this.groups.size === 0 ? undefined : setTimeout(this.tick, pause);
  };

  private async step(): Promise<LogPosition> {
    const upTo = await this.log.position();
    await this.leaveLostPosition(upTo);
    if (this.groups.size === 0 || this.position.seq === upTo.seq) this.position = upTo;
    let limit = STEP_CHANGES;
    while (this.position.seq < upTo.seq) {
      // Covers all collections: a group that joins meanwhile may have any of them.
      const changes = await changesAfter(this.engine, this.collections, this.position.seq, upTo, limit);
      const chunks = new Map<Group, Chunk | undefined>();
      const evaluate = async () => {
        for (const group of this.groups.values()) {
          if (chunks.has(group)) continue;
          chunks.set(group, undefined);
          chunks.set(group, await this.evaluate(group, changes));
        }
      };
      await Promise.all(Array.from({ length: PARALLEL_STEPS }, evaluate));
      // Groups may have joined meanwhile.
      while ([...this.groups.values()].some((group) => !chunks.has(group))) await evaluate();
      const isTooLong = [...chunks.values()].includes('too long');
      if (isTooLong && changes.count > 1) {
        limit = Math.ceil(changes.count / 4);
        continue;
      }
      this.position = changes.upTo;
      for (const [group, chunk] of chunks) this.publish(group, chunk);
      // Clients need time to receive a part of a long step.
      if (limit < STEP_CHANGES) await Bun.sleep(STEP_PAUSE_MS);
    }
    return this.position;
  }

  /** If the log went back, all clients resume with requests of their own. Their ids are unknown, so they are reset. */
  private async leaveLostPosition(newest: LogPosition): Promise<void> {
    if (this.groups.size === 0 || isSame(this.position, newest)) return;
    if (await isInLog(this.log, this.position)) return;
    for (const { members } of this.groups.values()) for (const member of [...members]) member.end();
  }

  private publish({ members }: Group, chunk: Chunk | undefined): void {
    if (chunk === undefined) return;
    if (chunk !== 'too long') this.events += chunk.events * members.size;
    for (const member of [...members]) {
      if (chunk === 'too long') member.end();
      else member.publish(chunk.bytes);
    }
  }

  /** If a step fails, its clients resume with requests of their own. */
  private async evaluate({ plan, members }: Group, changes: Changes): Promise<Chunk | undefined> {
    const events: FeedEvent[] = [];
    let length = 0;
    try {
      for await (const some of stepEvents(this.engine, plan, this.position.seq, changes)) {
        events.push(...some);
        for (const { data } of some) length += data.length;
        if (length > MAX_STEP_BYTES) return 'too long';
      }
    } catch {
      for (const member of [...members]) member.end();
      return undefined;
    }
    if (events.length === 0) return undefined;
    return { events: events.length, bytes: encoder.encode(eventText(events, changes.upTo)) };
  }
}
