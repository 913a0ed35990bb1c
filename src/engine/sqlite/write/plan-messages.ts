/**
 * Plans as messages to a thread: writes, and searches. Both threads have the declaration, so its collections, fields
 * and types are sent as names. Everything else in a plan is plain data. Long lists of rows are sent in slices: copying
 * takes time, and other requests are served in between.
 */
import { ROWS_PER_SLICE } from '../../../base/cooperative.ts';
import { memoize } from '../../../base/memo.ts';
import type { Catalogue, Collection, Field } from '../../../collection/declaration.ts';
import { OWN_COLLECTIONS } from '../../../collection/own-collections.ts';
import { SEARCH_FIELDS } from '../../../collection/search-fields.ts';
import { embedded } from '../../../collection/types/embedded.ts';
import { builtIn } from '../../../collection/types/index.ts';
import type { Type } from '../../../collection/types/type.ts';
import { wholeRow } from '../../../plan/read/shape.ts';
import type { OutputColumn, ReadPlan } from '../../../plan/types.ts';
import type { Assignment, StoredRow, UpdateEachPlan, WritePlan } from '../../../plan/write-plan.ts';
import type { Write, WriteOptions } from '../../engine.ts';
import type { ThreadResult } from '../../shared/thread.ts';
import type { WriteList } from './writer.ts';

/** A part of the declaration. Values are never objects, so a client cannot send one. */
type Name =
  | { readonly declared: 'collection'; readonly name: string }
  | { readonly declared: 'row'; readonly name: string }
  | { readonly declared: 'field'; readonly name: string; readonly of: string }
  | { readonly declared: 'search field'; readonly name: string }
  | { readonly declared: 'type'; readonly name: string };

type Change = UpdateEachPlan['changes'][number];
type ChangeMessage = Omit<Change, 'set'> & { readonly set: readonly PlanMessage[] };
type Slice = readonly unknown[];
/** The rows themselves, or the number of slices that were sent before. */
type Rows = Slice | number;
export type PlanMessage = Readonly<Record<string, unknown>>;

interface PlansMessage extends Omit<WriteList, 'writes'> {
  readonly writes: readonly {
    readonly plan: PlanMessage;
    readonly rows: Rows;
    /** Of the rows that the write returns. */
    readonly encoding?: Write['encoding'];
    readonly isDependent?: boolean;
  }[];
}

/** One row to insert, and nothing else. Copying the objects of a plan and of its result takes three times as long. */
type RowMessage = readonly [collection: string, origin: WriteOptions['origin'], ...row: StoredRow];
export type ListMessage = PlansMessage | RowMessage;
/** The key of the row of such a message, or any other result. */
export type ResultMessage = ThreadResult | readonly string[];

/** The plan without its collection and row. */
const ROW_PLAN = { kind: 'insert', conflict: 'refuse', singular: false, mustExist: false, given: [] } as const;

export function encodeList(list: WriteList): ListMessage {
  const { writes, dryRun, origin, retry } = list;
  const { plan, isDependent } = writes[0]!;
  const isOne = writes.length === 1 && plan.kind === 'insert' && plan.rows.length === 1;
  if (!isOne || dryRun || retry !== undefined || isDependent === true) return encodePlans(list);
  const { into, rows, given: _, ...others } = plan;
  const isPlain = Object.entries(others).every(([name, value]) => value === ROW_PLAN[name as keyof typeof ROW_PLAN]);
  return isPlain ? [into.name, origin, ...rows[0]!] : encodePlans(list);
}

function encodePlans({ writes, ...options }: WriteList): PlansMessage {
  return {
    ...options,
    writes: writes.map(({ plan, encoding, isDependent }) => {
      nameCollection(plan.into);
      names.set(wholeRow(plan.into), { declared: 'row', name: plan.into.name });
      const { length } = rowsOf(plan);
      const rows = length > ROWS_PER_SLICE ? Math.ceil(length / ROWS_PER_SLICE) : encodeRows(plan, 0, length);
      return {
        plan: encodeParts(withoutRows(plan)),
        rows,
        ...(plan.returning && { encoding }),
        ...(isDependent && { isDependent }),
      };
    }),
  };
}

export function encodeResult(list: ListMessage, result: ThreadResult): ResultMessage {
  const isOfRow = !('writes' in list) && result.kind === 'done';
  return (isOfRow ? result.results[0]!.key : undefined) ?? result;
}

export function decodeResult(result: ResultMessage): ThreadResult {
  return 'kind' in result ? result : { kind: 'done', results: [{ affected: 1, inserted: 1, key: result }] };
}

/** The catalogue has the collections of all fields in the plan. */
export function encodeRead(plan: ReadPlan, { collections }: Catalogue): PlanMessage {
  for (const collection of collections.values()) nameCollection(collection);
  return encodeParts(plan);
}

/** The slices of all long lists of rows, in order. */
export function* slicesOf(lists: readonly WriteList[]): Generator<Slice> {
  for (const { plan } of lists.flatMap(({ writes }) => writes)) {
    const { length } = rowsOf(plan);
    if (length <= ROWS_PER_SLICE) continue;
    nameCollection(plan.into);
    for (let from = 0; from < length; from += ROWS_PER_SLICE) yield encodeRows(plan, from, from + ROWS_PER_SLICE);
  }
}

/** The rows of the body of a write. */
function rowsOf(plan: WritePlan): Slice {
  if (plan.kind === 'insert') return plan.rows;
  return plan.kind === 'update-each' ? plan.changes : [];
}

function encodeRows(plan: WritePlan, from: number, to: number): Slice {
  const rows = rowsOf(plan).slice(from, to);
  return plan.kind === 'update-each' ? (rows as Change[]).map(encodeChange) : rows;
}

function encodeChange({ key, set }: Change): ChangeMessage {
  return { key, set: set.map((each) => ({ ...each, field: nameOf(each.field) })) };
}

const names = new WeakMap<object, Name>();
for (const [name, field] of SEARCH_FIELDS) names.set(field, { declared: 'search field', name });

const nameCollection = memoize(({ name: of, fields }: Collection): Name => {
  for (const field of fields) names.set(field, { declared: 'field', name: field.name, of });
  return { declared: 'collection', name: of };
});

function nameOf(field: Field): Name {
  const name = names.get(field);
  if (name === undefined) throw new Error(`the plan has the field ${field.name}, but not its collection`);
  return name;
}

/** Memoized, since requests share parts of plans, and since groups are matched by the identity of their expressions. */
const encodeObject = memoize((part: object): unknown => {
  if ('byName' in part) return nameCollection(part as Collection);
  if ('sqlite' in part) return { declared: 'type', name: (part as Type).name } satisfies Name;
  if ('maxBytes' in part) return nameOf(part as Field);
  return Array.isArray(part) ? (names.get(part) ?? part.map(encode)) : encodeParts(part);
});

function encode(part: unknown): unknown {
  return typeof part === 'object' && part !== null ? encodeObject(part) : part;
}

function encodeParts(part: object): PlanMessage {
  const encoded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(part)) encoded[name] = encode(value);
  return encoded;
}

/** Rows are encoded separately, and have all fields, also those that the client did not give. */
function withoutRows(plan: WritePlan): object {
  if (plan.kind === 'insert') return { ...plan, rows: [], given: [] };
  return plan.kind === 'update-each' ? { ...plan, changes: [] } : plan;
}

/** Restores the plans of a message. `slices` are those that were sent before; each write takes its own. */
export class PlanDecoder {
  private readonly seen = new Set<object>();

  constructor(
    private readonly catalogue: Catalogue,
    private readonly slices: Slice[] = [],
  ) {}

  decode(message: ListMessage): WriteList {
    if (!('writes' in message)) return this.row(message);
    const { writes, ...options } = message;
    const restored = writes.map(({ plan, rows, ...each }) => ({ ...each, plan: this.plan(plan, rows) }));
    return { ...options, writes: restored as readonly Write[] };
  }

  read(message: PlanMessage): ReadPlan {
    return this.restore(message) as ReadPlan;
  }

  private row([name, origin, ...row]: RowMessage): WriteList {
    const plan = { ...ROW_PLAN, into: this.collection(name), rows: [row] };
    return { dryRun: false, ...(origin && { origin }), writes: [{ plan }] as unknown as readonly Write[] };
  }

  private plan(message: PlanMessage, given: Rows): WritePlan {
    const rows = typeof given === 'number' ? this.slices.splice(0, given).flat() : given;
    const plan = this.restore(message) as WritePlan;
    if (plan.kind === 'insert') return { ...plan, rows: rows as typeof plan.rows };
    if (plan.kind !== 'update-each') return plan;
    return { ...plan, changes: (rows as ChangeMessage[]).map((each) => this.change(each)) };
  }

  private change({ key, set }: ChangeMessage): Change {
    return { key, set: set.map((each) => ({ ...each, field: this.declared(each.field as Name) }) as Assignment) };
  }

  /** Replaces names in place: the message is a copy. */
  private restore(part: unknown): unknown {
    if (typeof part !== 'object' || part === null || this.seen.has(part)) return part;
    if ('declared' in part) return this.declared(part as Name);
    this.seen.add(part);
    for (const [name, value] of Object.entries(part)) {
      if (typeof value === 'object') (part as Record<string, unknown>)[name] = this.restore(value);
    }
    return part;
  }

  private declared(name: Name): Collection | Field | Type | readonly OutputColumn[] {
    switch (name.declared) {
      case 'row':
        return wholeRow(this.collection(name.name));
      case 'collection':
        return this.collection(name.name);
      case 'field':
        return this.collection(name.of).byName.get(name.name)!;
      case 'search field':
        return SEARCH_FIELDS.get(name.name)!;
      case 'type':
        return name.name === embedded.name ? embedded : builtIn(name.name);
    }
  }

  private collection(name: string): Collection {
    return this.catalogue.collections.get(name) ?? OWN_COLLECTIONS.get(name)!;
  }
}
