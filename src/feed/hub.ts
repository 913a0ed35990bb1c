/**
 * Follows the log of changes for all feeds of a process. Groups of clients advance independently: each step waits for
 * its turn, and each group then pauses by itself. Turns are fair between callers, and cheap steps have their own.
 */
import { FairQueue } from '../base/fair-queue.ts';
import {
  FEW_LISTS,
  MAX_LATE_STEPS,
  PARALLEL_STEPS,
  PARALLEL_STEPS_PER_CALLER,
  STEP_BUDGET_MS,
  STEP_MS,
} from '../base/limits/feed.ts';
import { type Collection, type Field, stored } from '../collection/declaration.ts';
import type { ChangeLog, Engine, LogPosition } from '../engine/engine.ts';
import { queuedReader, type Reader } from '../engine/row-store.ts';
import { relatedChanges } from './affected-keys.ts';
import { type Changes, changesAfter, isFarBehind, noChanges } from './changed-keys.ts';
import { type ChangedRow, changedRows, mayAffect, testedFields } from './changed-rows.ts';
import { eventId, type FeedPosition, isInLog } from './event-id.ts';
import { Group } from './group.ts';
import { type FeedPlan, heartbeat } from './step.ts';
import type { Subscriber } from './subscriber.ts';

/** The event loop answers requests after this many milliseconds of steps. */
const SLICE_MS = 5;

/** The changes after a position, and the changed rows by collection. Groups at the same position share them. */
interface Step {
  readonly changes: Changes;
  readonly rows: Map<string, Promise<readonly ChangedRow[] | undefined>>;
}

export class Hub {
  /** Events sent to clients, for the metrics. */
  events = 0;
  private readonly groups = new Map<string, Group>();
  private readonly turns = new FairQueue({ places: PARALLEL_STEPS, placesPerCaller: PARALLEL_STEPS_PER_CALLER });
  /** Cheap steps wait for each other only. While late steps of a caller go on, only its own wait for them. */
  private readonly cheapTurns = new FairQueue({ places: PARALLEL_STEPS, placesPerCaller: PARALLEL_STEPS });
  private readonly callers = new FairQueue({
    places: Number.POSITIVE_INFINITY,
    placesPerCaller: PARALLEL_STEPS_PER_CALLER,
  });
  /** One slow step at a time, with one read at a time: the other threads and connections are for all others. */
  private readonly slowTurns = new FairQueue({ places: 1, placesPerCaller: 1 });
  private readonly slowReads = new FairQueue({ places: 1, placesPerCaller: 1 });
  private readonly steps = new Map<string, Promise<Step | 'lost' | undefined>>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private newest: LogPosition = { seq: 0, at: '' };
  private changeCount: number | undefined;
  private lateSteps = 0;
  private sliceEnd = 0;
  private lastPause = Promise.resolve();
  private readonly reader: Reader = {
    read: async (...request) => {
      const result = await this.engine.read(...request);
      await this.pause();
      return result;
    },
  };

  constructor(
    private readonly engine: Engine,
    private readonly log: ChangeLog,
    private readonly collections: readonly Collection[],
  ) {}

  /** The position of a group; undefined if it does not exist. */
  positionOf(name: string): FeedPosition | undefined {
    return this.groups.get(name)?.position;
  }

  /** Adds a client that has received everything up to this position; false if the position of the group differs. */
  join(subscriber: Subscriber, name: string, plan: FeedPlan, position: FeedPosition, caller: string): boolean {
    const known = this.groups.get(name);
    if (known?.isAt(position) === false) return false;
    const group = known ?? new Group(plan, caller, position);
    group.members.add(subscriber);
    this.groups.set(name, group);
    this.timer ??= setTimeout(this.tick, STEP_MS);
    return true;
  }

  leave(subscriber: Subscriber, name: string): void {
    const group = this.groups.get(name);
    if (group?.members.delete(subscriber) === true && group.members.size === 0) this.groups.delete(name);
  }

  /** Sends each client its position, which also shows that the connection works. */
  beat(): void {
    for (const { members, plan, position } of this.groups.values()) {
      const chunk = heartbeat(plan, position);
      for (const member of members) member.publish(chunk);
    }
  }

  private readonly tick = async (): Promise<void> => {
    // While the database does not answer, clients wait.
    await this.look().catch(() => undefined);
    this.steps.clear();
    const now = performance.now();
    const due = this.groups.values().filter((group) => !group.isBusy && group.isDue(this.newest, now));
    const alike = Map.groupBy(due, ({ caller, position, limit }) => `${eventId(position)} ${limit} ${caller}`);
    for (const groups of alike.values()) void this.advanceAll(groups);
    this.timer = this.groups.size === 0 ? undefined : setTimeout(this.tick, STEP_MS);
  };

  /** SQLite may answer at once: after a slice of reads of all steps, requests are answered before the next one. */
  private async pause(): Promise<void> {
    if (performance.now() < this.sliceEnd) return;
    this.lastPause = this.lastPause.then(() => new Promise((resolve) => setImmediate(resolve)));
    await this.lastPause;
    this.sliceEnd = performance.now() + SLICE_MS;
  }

  /** Reads the last position, unless nothing was committed since. */
  private async look(): Promise<void> {
    const changeCount = this.engine.changes?.current();
    if (changeCount !== undefined && changeCount === this.changeCount) return;
    this.newest = await this.log.position();
    this.changeCount = changeCount;
  }

  /** Advances groups of one caller at the same position. Those that have no event share a turn. */
  private async advanceAll(groups: readonly Group[]): Promise<void> {
    for (const group of groups) group.isBusy = true;
    const { newest } = this;
    const behind: Group[] = [];
    await this.cheapTurn(groups[0]!.caller, async () => {
      for (const group of groups) {
        const { position } = group;
        // While the database does not answer, clients wait.
        const step = await this.stepFor(group).catch(() => undefined);
        if (step !== undefined) void this.advance(group);
        else if (group.position !== position && group.position.seq < newest.seq) behind.push(group);
        else group.isBusy = false;
        await this.pause();
      }
    });
    if (behind.length > 0) await this.advanceAll(behind);
  }

  /** Advances a group to the position that is newest now, in one turn for each step. */
  private async advance(group: Group): Promise<void> {
    const { newest } = this;
    let earlier: FeedPosition;
    do {
      earlier = group.position;
      await this.takeTurn(group);
      // Without progress it waits for the next look.
    } while (group.position !== earlier && group.position.seq < newest.seq && group.isDue(newest, performance.now()));
    group.isBusy = false;
  }

  private takeTurn(group: Group): Promise<void> {
    const { caller, isCheap, isSlow } = group;
    const work = () => this.step(group);
    return isCheap ? this.cheapTurn(caller, work) : (isSlow ? this.slowTurns : this.turns).run(caller, 1, work);
  }

  /** Late work leaves its place to other callers. */
  private cheapTurn(caller: string, work: () => Promise<void>): Promise<void> {
    return this.callers.run(caller, 1, async () => {
      const { end } = await this.cheapTurns.run(caller, 1, () => this.withinBudget(work()));
      return end;
    });
  }

  /** Resolves when a step ends, or takes long. */
  private async withinBudget(end: Promise<void>): Promise<{ readonly end: Promise<void> }> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, STEP_BUDGET_MS, 'late');
    });
    const isLate = (await Promise.race([end, late])) === 'late';
    clearTimeout(timer);
    if (!isLate || this.lateSteps >= MAX_LATE_STEPS) {
      await end;
      return { end };
    }
    this.lateSteps++;
    return { end: end.finally(() => this.lateSteps--) };
  }

  private async step(group: Group): Promise<void> {
    const step = await this.stepFor(group).catch(() => undefined);
    if (step === undefined) return this.pause();
    const reader = group.isSlow ? queuedReader(this.reader, this.slowReads, '') : this.reader;
    const events = await group.advance(reader, step.changes);
    this.events += events;
  }

  /** The next step of a group; undefined if it has no event, so that the group has advanced already. */
  private async stepFor(group: Group): Promise<Step | undefined> {
    const changed = await this.stepAfter(group.position, group.limit);
    const step = changed ?? (group.isTimeUp ? { changes: noChanges(group.position), rows: new Map() } : undefined);
    // If the log went back, or the group is far behind, clients are reset when they resume.
    if (step === 'lost') group.end();
    if (step === undefined || step === 'lost' || group.members.size === 0) return undefined;
    if (await this.affects(step, group)) return step;
    group.position = { ...group.position, ...step.changes.upTo };
    return undefined;
  }

  private stepAfter(position: LogPosition, limit: number): Promise<Step | 'lost' | undefined> {
    const { newest, steps } = this;
    const name = `${eventId(position)} ${eventId(newest)} ${limit}`;
    const known = steps.get(name) ?? this.readStep(position, newest, limit);
    steps.set(name, known);
    return known;
  }

  private async readStep(
    position: LogPosition,
    newest: LogPosition,
    limit: number,
  ): Promise<Step | 'lost' | undefined> {
    // Covers the collections of all groups, so that they share it.
    const names = new Set(this.groups.values().flatMap(({ plan }) => plan.collections.map(({ name }) => name)));
    const followed = this.collections.filter(({ name }) => names.has(name));
    const read = async () => {
      if (await isFarBehind(this.engine, this.collections, position.seq, newest)) return 'lost';
      const changes = await changesAfter(this.engine, followed, position.seq, newest, limit);
      return { changes, rows: new Map() };
    };
    // A client that just joined may have read a newer position.
    const isBehind = position.seq < newest.seq;
    const [isKnown, step] = await Promise.all([isInLog(this.log, position), isBehind ? read() : undefined]);
    return isKnown ? step : 'lost';
  }

  private async affects({ changes, rows }: Step, { plan, position, isTimeUp }: Group): Promise<boolean> {
    const { list, collections } = plan;
    if (isTimeUp) return true;
    if (!collections.some(({ name }) => changes.keys.has(name))) return false;
    if (
      list.log !== undefined ||
      plan.isTimed ||
      this.groups.size < FEW_LISTS ||
      relatedChanges(list, changes.keys).length > 0
    )
      return true;
    const collection = stored(list.from);
    const keys = changes.keys.get(collection.name);
    if (keys === undefined) return false;
    const known =
      rows.get(collection.name) ??
      changedRows(this.engine, collection, keys, this.testedFields(collection), position.seq, changes.upTo.seq);
    rows.set(collection.name, known);
    const found = await known;
    return found === undefined || mayAffect(plan, found);
  }

  /** The fields that the filters of all groups of a collection test. */
  private testedFields(collection: Collection): ReadonlySet<Field> {
    const plans = [...this.groups.values()].map(({ plan }) => plan);
    return new Set(plans.filter(({ list }) => stored(list.from) === collection).flatMap(testedFields));
  }
}
