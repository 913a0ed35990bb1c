/** The log of changes of the source of a copy, with whole rows in the form of the target. */
import { CHANGES_NAME } from '../../collection/change-log.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { jsonText, parseJson } from '../../collection/exact-json.ts';
import { builtIn } from '../../collection/types/index.ts';
import { storeJson } from '../../collection/types/type.ts';
import type { Row } from '../../collection/value.ts';
import { parseQuery } from '../../dialect/query.ts';
import type { CopiedEntry, CopiedLog, Engine, LogPosition } from '../../engine/engine.ts';
import { streamLines } from '../../engine/row-store.ts';
import { planRead } from '../../plan/read/read.ts';
import { ALWAYS, type ReadPlan } from '../../plan/types.ts';
import type { StoredRow } from '../../plan/write-plan.ts';

const TEXT = builtIn('text');

/** A row of the source in the form of the target. The fields of `into` may have other types. */
export function storedRow({ fields }: Collection, row: Readonly<Record<string, unknown>>): StoredRow {
  return fields.map(({ name, type }) => storeJson(type, type === TEXT ? textOf(row[name]) : row[name]));
}

/** A value of another type as text. */
function textOf(value: unknown): unknown {
  return value === null || value === undefined || typeof value === 'string' ? value : jsonText(value);
}

interface SourceLog {
  /** The moment of the copy. */
  readonly position: number;
  /** The logged collections. */
  readonly begins: ReadonlyMap<Collection, LogPosition>;
  copyFor(into: Catalogue): Promise<CopiedLog>;
}

/** Undefined if nothing is logged. */
export async function openSourceLog(engine: Engine, catalogue: Catalogue): Promise<SourceLog | undefined> {
  const { log } = engine;
  if (log === undefined) return undefined;
  const begins = new Map<Collection, LogPosition>();
  for (const collection of catalogue.collections.values()) {
    const oldest = await log.oldest([collection]);
    if (oldest !== undefined) begins.set(collection, oldest);
  }
  if (begins.size === 0) return undefined;
  const { seq: position } = await log.position();
  const copyFor = async (into: Catalogue): Promise<CopiedLog> => {
    const inTarget = ({ name }: Collection) => into.collections.get(name)!;
    return {
      position,
      begins: new Map([...begins].map(([collection, begin]) => [inTarget(collection), begin])),
      entries: entriesOf(engine, wholeLog(catalogue, [...begins.keys()]), position, into),
    };
  };
  return { position, begins, copyFor };
}

function wholeLog(catalogue: Catalogue, collections: readonly Collection[]): ReadPlan {
  const changes = catalogue.builtIn.get(CHANGES_NAME)!;
  const plan = planRead(changes, parseQuery('order=seq'), { offset: 0 }, undefined);
  const log = collections.map((collection) => {
    return { collection, fields: collection.fields, where: ALWAYS, isWhole: true };
  });
  return { ...plan, log };
}

async function* entriesOf(
  engine: Engine,
  plan: ReadPlan,
  position: number,
  into: Catalogue,
): AsyncGenerator<readonly CopiedEntry[]> {
  for await (const lines of streamLines(engine, plan, position)) {
    yield lines.map((line) => {
      const { before, after, key: _, ...entry } = parseJson(line) as unknown as Entry;
      const collection = into.collections.get(entry.collection)!;
      const row = (given: Row | null) => (given === null ? null : storedRow(collection, given));
      return { ...entry, seq: Number(entry.seq), collection, before: row(before), after: row(after) };
    });
  }
}

interface Entry extends Omit<CopiedEntry, 'collection' | 'before' | 'after'> {
  readonly collection: string;
  readonly key: string;
  readonly before: Row | null;
  readonly after: Row | null;
}
