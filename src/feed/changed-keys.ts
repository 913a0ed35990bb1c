/** The keys of the rows that changed between two positions of the log. */
import { MAX_RESUMED_CHANGES, STEP_CHANGES } from '../base/limits/feed.ts';
import { changesOf } from '../collection/change-log.ts';
import type { Collection, Field } from '../collection/declaration.ts';
import type { LogPosition } from '../engine/engine.ts';
import { type Reader, readLines } from '../engine/row-store.ts';
import { readValue } from '../plan/predicate.ts';
import { logViews } from '../plan/read/changes.ts';
import { fieldExpression, keyIs } from '../plan/resolve.ts';
import { ALWAYS, type Predicate, type ReadPlan } from '../plan/types.ts';

/** Keys by collection, as the log prints them. */
export interface Changes {
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
  /** The position that they lead to. */
  readonly upTo: LogPosition;
  /** The number of changes. */
  readonly count: number;
}

/** A step in which only time passes. */
export function noChanges(upTo: LogPosition): Changes {
  return { keys: new Map(), upTo, count: 0 };
}

/** The first changes after a position, at most those of one step. */
export async function changesAfter(
  reader: Reader,
  collections: readonly Collection[],
  after: number,
  upTo: LogPosition,
  limit = STEP_CHANGES,
): Promise<Changes> {
  const plan = planOf(collections, after, limit);
  const lines = await readLines(reader, plan, upTo.seq);
  const keys = new Map<string, Set<string>>();
  let last = upTo;
  for (const line of lines) {
    const { collection, key, ...position } = JSON.parse(line) as LogPosition & { collection: string; key: string };
    if (lines.length === limit) last = position;
    const known = keys.get(collection) ?? new Set();
    keys.set(collection, known.add(key));
  }
  return { keys, upTo: last, count: lines.length };
}

/** Whether reading the list again is cheaper than the changes that follow a position. */
export async function isFarBehind(
  reader: Reader,
  collections: readonly Collection[],
  after: number,
  upTo: LogPosition,
): Promise<boolean> {
  // Numbers do not count changes: rolled-back writes take some on PostgreSQL.
  if (upTo.seq - after <= MAX_RESUMED_CHANGES) return false;
  const plan = { ...planOf(collections, after, 1), offset: MAX_RESUMED_CHANGES };
  const lines = await readLines(reader, plan, upTo.seq);
  return lines.length > 0;
}

function planOf(collections: readonly Collection[], after: number, limit: number): ReadPlan {
  const from = changesOf(new Map(collections.map((each) => [each.name, each])));
  const named = (name: string) => from.byName.get(name)!;
  const columns = ['seq', 'at', 'collection', 'key'].map((name) => ({
    name,
    expression: fieldExpression(named(name)),
  }));
  const order = [{ expression: fieldExpression(named('seq')), descending: false }];
  const where = isAfter(from.key[0]!, after);
  const log = logViews(from, ALWAYS, undefined);
  return { kind: 'read', from, log, columns, order, where, offset: 0, limit };
}

export function isAfter(seq: Field, position: number): Predicate {
  const value = readValue(seq, String(position));
  return { kind: 'compare', of: fieldExpression(seq), operator: '>', value };
}

/** Whether a row has one of these keys, or refers to one in the given field. */
export function hasKey(collection: Collection, keys: Iterable<string>, field = collection.key[0]!): Predicate {
  const texts = [...keys];
  if (collection.key.length === 1) {
    return { kind: 'in', of: fieldExpression(field), values: texts.map((text) => readValue(field, text)) };
  }
  const terms = texts.map((text) => {
    const values = JSON.parse(text) as string[];
    return keyIs(
      collection,
      collection.key.map((each, index) => readValue(each, values[index]!)),
    );
  });
  return { kind: 'any', terms };
}
