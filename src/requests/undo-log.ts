/** The reads of an undo as of a position: changes by their positions, later ones of the same rows, and the rows. */
import { mapInSlices, schedule } from '../base/cooperative.ts';
import { MAX_UNDO_BYTES, UNDO_STEP_BYTES } from '../base/limits/http.ts';
import { tableDenied } from '../collection/access/permission-errors.ts';
import { CHANGES_NAME } from '../collection/change-log.ts';
import { type Catalogue, type Collection, stored } from '../collection/declaration.ts';
import { parseJson } from '../collection/exact-json.ts';
import { versionOfText } from '../collection/version.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Query } from '../dialect/tree.ts';
import type { Engine } from '../engine/engine.ts';
import { readFirstLines, readLines } from '../engine/row-store.ts';
import { andAlso, type Permissions } from '../plan/access/permissions.ts';
import { coerce } from '../plan/coerce.ts';
import { NO_ORDER } from '../plan/read/order.ts';
import { planLog } from '../plan/read/read.ts';
import { wholeRow } from '../plan/read/shape.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { ALWAYS, type Predicate, type ReadPlan } from '../plan/types.ts';
import { keysAre, type LoggedChange, type Revert, reverts } from '../plan/write/undo.ts';
import type { Origin, Precondition } from '../plan/write-plan.ts';
import type { Conflict } from '../response/undo.ts';
import { selectableChanges } from './undo-rights.ts';

/** A longer list of conditions would exceed a limit of the database. */
const ROWS_PER_READ = 500;
const CHANGES_PER_READ = 5_000;
/** PostgreSQL compares each change of these rows with all of them. */
const ROWS_PER_EXAMINATION = 200;
const ROWS_PER_COMPARISON = 100;
/** A row with more changes since the first selected one counts as changed. */
const CHANGES_PER_COMPARISON = 20_000;

const ENTRIES = parseQuery('select=seq,collection,key,kind,before,after&order=seq.desc');
const LATER = parseQuery('select=key,seq.max()');
/** Groups need no order by position, for which SQLite would scan the log. */
const POSITIONS = parseQuery('select=key,seq,count()');

/** A change that the filter selects. Its values are those of references only; the log has the others. */
export interface SelectedChange extends LoggedChange {
  /** The size of its entry. */
  readonly bytes: number;
}

/** The selected changes of one row, newest first. */
export type SelectedRow = readonly [SelectedChange, ...SelectedChange[]];

/** The outcome for the selected changes of some rows. */
export interface Examination {
  readonly conflicts: readonly Conflict[];
  /** The changes that are still in effect. Later ones reverted the others. */
  readonly pending: ReadonlySet<SelectedChange>;
}

export class LogReader {
  /** The whole log of the collections that the caller may read. */
  private readonly changes: Collection;

  constructor(
    private readonly engine: Engine,
    private readonly seen: Catalogue,
    private readonly permissions: Permissions | undefined,
    private readonly origin: Origin,
    readonly position: number,
  ) {
    const view = seen.builtIn.get(CHANGES_NAME)!;
    this.changes = { ...stored(view), among: view.among };
  }

  /** A plan of the newest changes that match the filter, before a position. */
  planPage({ conditions }: Query, before: number, limit: number): ReadPlan {
    const plan = this.plan({ ...ENTRIES, conditions }, limit);
    const selectable = selectableChanges(plan, this.permissions, this.origin);
    return {
      ...plan,
      where: and(plan.where, selectable, { kind: 'compare', of: this.field('seq'), operator: '<', value: before }),
    };
  }

  /** The newest selected change that is committed, but held back by an open transaction with a smaller position. */
  async newestHeldBack(query: Query): Promise<number | undefined> {
    const plan = this.planPage(query, Number.MAX_SAFE_INTEGER, 1);
    const after: Predicate = { kind: 'compare', of: this.field('seq'), operator: '>', value: this.position };
    const where = and(plan.where, after);
    const [line] = await readLines(this.engine, { ...plan, where }, Number.MAX_SAFE_INTEGER);
    return line === undefined ? undefined : this.changeIn(line).seq;
  }

  /** The first changes of a page, with their size: as many as fit into memory, but at least one. */
  async readPage(plan: ReadPlan): Promise<readonly (readonly [change: LoggedChange, bytes: number])[]> {
    const { lines } = await readFirstLines(this.engine, plan, this.position, UNDO_STEP_BYTES);
    return schedule(mapInSlices(lines, (line) => [this.changeIn(line), line.length] as const));
  }

  /** The complete entries of changes, in the same order. */
  async entries(changes: readonly SelectedChange[]): Promise<readonly LoggedChange[]> {
    const plan = this.plan(ENTRIES);
    const where = and(plan.where, { kind: 'in', of: this.field('seq'), values: changes.map(({ seq }) => seq) });
    const lines = await this.read({ ...plan, where });
    const entries = await schedule(mapInSlices(lines, (line) => this.changeIn(line)));
    const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
    return changes.flatMap(({ seq }) => bySeq.get(seq) ?? []);
  }

  /** Finds later changes of the rows that are not selected. Those that revert a selected one do not conflict. */
  async examine(rows: Iterable<SelectedRow>): Promise<Examination> {
    const conflicts: Conflict[] = [];
    const pending = new Set<SelectedChange>();
    for (const { collection, some } of chunks(rows)) {
      const untouched = new Map(some.map((row) => [row[0].key, row]));
      const touched: TouchedRow[] = [];
      const plan = this.planOf(collection, LATER);
      for (const line of await this.read({ ...plan, where: and(plan.where, this.unselected(some)) })) {
        const { key, max } = JSON.parse(line) as { key: string; max: number };
        const row = untouched.get(key)!;
        if (max < row.at(-1)!.seq) continue;
        untouched.delete(key);
        touched.push({ row, last: { collection: collection.name, key, seq: max } });
      }
      for (const row of untouched.values()) for (const change of row) pending.add(change);
      for (let at = 0; at < touched.length; at += ROWS_PER_COMPARISON) {
        const compared = await this.compare(collection, touched.slice(at, at + ROWS_PER_COMPARISON));
        conflicts.push(...compared.conflicts);
        for (const change of compared.pending) pending.add(change);
      }
    }
    return { conflicts, pending };
  }

  /** Compares the changes of the rows in their order: those that later ones reverted are no longer in effect. */
  private async compare(collection: Collection, touched: readonly TouchedRow[]): Promise<Examination> {
    const rows = touched.map(({ row }) => row);
    const selected = new Map(rows.flat().map((change) => [change.seq, change]));
    const plan = this.planOf(collection, POSITIONS, CHANGES_PER_COMPARISON);
    // A list of conditions for each row would take longer to plan than to carry out.
    const where = rows.length === 1 ? this.since(rows[0]!) : this.ofRows(rows);
    const positions = await this.read({ ...plan, where: and(plan.where, where) });
    const { lines, isComplete } = await this.readAt(
      collection,
      positions.map((line) => (JSON.parse(line) as { seq: number }).seq),
    );
    const isCut = positions.length === CHANGES_PER_COMPARISON || !isComplete;
    if (isCut && touched.length === 1) return { conflicts: [touched[0]!.last], pending: new Set() };
    if (isCut) {
      const half = touched.length >> 1;
      const first = await this.compare(collection, touched.slice(0, half));
      const second = await this.compare(collection, touched.slice(half));
      const conflicts = [...first.conflicts, ...second.conflicts];
      return { conflicts, pending: new Set([...first.pending, ...second.pending]) };
    }
    const entries = await schedule(mapInSlices(lines.reverse(), (line) => this.changeIn(line)));
    const byKey = Map.groupBy(entries, ({ key }) => key);
    const conflicts: Conflict[] = [];
    const pending = new Set<SelectedChange>();
    for (const { row, last } of touched) {
      const since = (byKey.get(row[0].key) ?? []).filter(({ seq }) => seq >= row.at(-1)!.seq);
      const inEffect = remaining(since, selected);
      if (inEffect === undefined) conflicts.push(last);
      else for (const seq of inEffect) pending.add(selected.get(seq)!);
    }
    return { conflicts, pending };
  }

  /** The entries at positions, newest first. */
  private readAt(collection: Collection, positions: readonly number[]) {
    const plan = this.planOf(collection, ENTRIES);
    const where = and(plan.where, { kind: 'in', of: this.field('seq'), values: positions });
    return readFirstLines(this.engine, { ...plan, where }, this.position, MAX_UNDO_BYTES);
  }

  /** The changes of the rows, except the selected ones. Without a bound, which would make a scan look cheap. */
  private unselected(rows: readonly SelectedRow[]): Predicate {
    const selected = rows.flat().map(({ seq }) => seq);
    return and(this.ofRows(rows), { kind: 'not', term: { kind: 'in', of: this.field('seq'), values: selected } });
  }

  private ofRows(rows: readonly SelectedRow[]): Predicate {
    return { kind: 'in', of: this.field('key'), values: rows.map(([{ key }]) => key) };
  }

  private since(row: SelectedRow): Predicate {
    const first = row.at(-1)!.seq;
    return and(this.ofRows([row]), { kind: 'compare', of: this.field('seq'), operator: '>=', value: first });
  }

  /** The rows as the caller sees them, as preconditions of their newest changes. Absent rows must stay absent. */
  async preconditions(newest: readonly LoggedChange[]): Promise<ReadonlyMap<LoggedChange, Precondition>> {
    const found = new Map<LoggedChange, Precondition>();
    for (const [collection, all] of Map.groupBy(newest, (change) => change.collection)) {
      const seen = this.visible(collection);
      for (let at = 0; at < all.length; at += ROWS_PER_READ) {
        const changes = all.slice(at, at + ROWS_PER_READ) as unknown as Revert;
        const versions = await this.versions(collection, keysAre(changes));
        for (const change of changes) {
          const version = versions.get(nameOf(change.values));
          const precondition = { key: change.values, versions: version === undefined ? ('none' as const) : [version] };
          found.set(change, seen === undefined ? precondition : { ...precondition, seen });
        }
      }
    }
    return found;
  }

  private visible(collection: Collection): Precondition['seen'] {
    if (this.permissions === undefined) return undefined;
    return { columns: wholeRow(collection), where: this.permissions.rows(stored(collection), 'read') };
  }

  /** The versions of rows by their key. */
  private async versions(collection: Collection, where: Predicate): Promise<ReadonlyMap<string, string>> {
    const { columns, where: visible } = this.visible(collection) ?? { columns: wholeRow(collection), where: ALWAYS };
    const from = stored(collection);
    const plan: ReadPlan = { kind: 'read', from, columns, order: NO_ORDER, where: andAlso(visible, where), offset: 0 };
    const entry = (line: string) => {
      const row = parseJson(line) as Readonly<Record<string, unknown>>;
      return [nameOf(from.key.map((field) => coerce(field, row[field.name]))), versionOfText(line)] as const;
    };
    return new Map(await schedule(mapInSlices(await this.read(plan), entry)));
  }

  private plan(query: Query, limit?: number): ReadPlan {
    const page = limit === undefined ? { offset: 0 } : { offset: 0, limit };
    return planLog(this.changes, query, page, this.permissions);
  }

  /** A plan of the changes of one collection, which an index finds by their key. */
  private planOf({ name }: Collection, query: Query, limit?: number): ReadPlan {
    const plan = this.plan(query, limit);
    return { ...plan, log: plan.log!.filter(({ collection }) => collection.name === name) };
  }

  private field(name: string) {
    return fieldExpression(stored(this.changes).byName.get(name)!);
  }

  private changeIn(line: string): LoggedChange {
    const { collection: name, key, ...row } = parseJson(line) as LoggedRow;
    const collection = this.seen.collections.get(name)!;
    if (key === null) throw tableDenied(name);
    const texts = collection.key.length === 1 ? [key] : (JSON.parse(key) as string[]);
    return { ...row, collection, key, values: collection.key.map(({ type }, at) => type.read(texts[at]!)) };
  }

  private read(plan: ReadPlan): Promise<readonly string[]> {
    return readLines(this.engine, plan, this.position);
  }
}

/** A row with later changes that are not selected, and the last of them. */
interface TouchedRow {
  readonly row: SelectedRow;
  readonly last: Conflict;
}

/** The selected changes of a row that no later one reverted; undefined if there is any other change. */
function remaining(entries: readonly LoggedChange[], selected: ReadonlyMap<number, unknown>) {
  const inEffect: LoggedChange[] = [];
  for (const entry of entries) {
    const newest = inEffect.at(-1);
    if (selected.has(entry.seq)) inEffect.push(entry);
    else if (newest !== undefined && reverts(entry, newest)) inEffect.pop();
    else return undefined;
  }
  return inEffect.map(({ seq }) => seq);
}

type LoggedRow = Pick<LoggedChange, 'seq' | 'kind' | 'before' | 'after'> & {
  readonly collection: string;
  readonly key: string | null;
};

function and(...terms: readonly Predicate[]): Predicate {
  return { kind: 'all', terms };
}

function nameOf(values: LoggedChange['values']): string {
  return JSON.stringify(values.map(String));
}

/** Some rows of one collection at a time. */
function* chunks(rows: Iterable<SelectedRow>) {
  for (const [collection, all] of Map.groupBy(rows, ([change]) => change.collection)) {
    let [some, changes]: [SelectedRow[], number] = [[], 0];
    for (const row of all) {
      if (some.length === ROWS_PER_EXAMINATION || (some.length > 0 && changes + row.length > CHANGES_PER_READ)) {
        yield { collection, some };
        [some, changes] = [[], 0];
      }
      some.push(row);
      changes += row.length;
    }
    if (some.length > 0) yield { collection, some };
  }
}
