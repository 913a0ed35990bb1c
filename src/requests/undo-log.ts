/** The reads of an undo as of a position: the selected changes, later ones of the same rows, and the rows. */
import { mapInSlices, schedule } from '../base/cooperative.ts';
import { ApiError } from '../base/errors.ts';
import { MAX_UNDO_BYTES, MAX_UNDO_CHANGES } from '../base/limits/http.ts';
import { tableDenied } from '../collection/access/permission-errors.ts';
import { type Catalogue, type Collection, stored } from '../collection/declaration.ts';
import { parseJson } from '../collection/exact-json.ts';
import { versionOfText } from '../collection/version.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Query } from '../dialect/tree.ts';
import type { Engine } from '../engine/engine.ts';
import { andAlso, type Permissions } from '../plan/access/permissions.ts';
import { coerce } from '../plan/coerce.ts';
import { planRead } from '../plan/read/read.ts';
import { NO_ORDER, wholeRow } from '../plan/read/shape.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { ALWAYS, type Precondition, type Predicate, type ReadPlan } from '../plan/types.ts';
import { keysAre, type LoggedChange, type Revert } from '../plan/write/undo.ts';
import type { Conflict } from '../response/undo.ts';

/** A longer list of conditions would exceed a limit of the database. */
const ROWS_PER_READ = 500;

const SELECTED = parseQuery('select=seq,collection,key,kind,before,after&order=seq.desc');
const LATER = parseQuery('select=key,seq.max()');

export class LogReader {
  private bytes = 0;

  constructor(
    private readonly engine: Engine,
    /** The log, as the caller sees it. */
    private readonly changes: Collection,
    private readonly seen: Catalogue,
    private readonly permissions: Permissions | undefined,
    private readonly position: number,
  ) {}

  /** The changes that match the filter, newest first. */
  async selected({ conditions }: Query, planned: (plan: ReadPlan) => void): Promise<readonly LoggedChange[]> {
    const page = { offset: 0, limit: MAX_UNDO_CHANGES + 1 };
    const plan = planRead(this.changes, { ...SELECTED, conditions }, page, undefined, this.permissions);
    planned(plan);
    const lines = await this.read(plan);
    if (lines.length > MAX_UNDO_CHANGES) throw tooLarge(`${MAX_UNDO_CHANGES} changes`);
    return schedule(mapInSlices(lines, (line) => this.changeIn(parseJson(line) as LoggedRow)));
  }

  private changeIn({ collection: name, key, ...row }: LoggedRow): LoggedChange {
    const collection = this.seen.collections.get(name)!;
    if (key === null) throw tableDenied(name);
    const texts = collection.key.length === 1 ? [key] : (JSON.parse(key) as string[]);
    return { ...row, collection, key, values: collection.key.map(({ type }, at) => type.read(texts[at]!)) };
  }

  /** The rows with a change that is not selected and comes after one that is. */
  async conflicts(selected: readonly LoggedChange[]): Promise<readonly Conflict[]> {
    const conflicts: Conflict[] = [];
    for (const { collection, rows } of chunks(selected)) {
      const { conditions } = parseQuery(`collection=eq.${encodeURIComponent(collection.name)}`);
      const plan = planRead(this.changes, { ...LATER, conditions }, { offset: 0 }, undefined, this.permissions);
      const first = new Map(rows.map((changes) => [changes[0]!.key, changes.at(-1)!.seq]));
      const terms = [plan.where, this.unselected(rows.flat(), Math.min(...first.values()))];
      for (const line of await this.read({ ...plan, where: { kind: 'all', terms } })) {
        const { key, max: seq } = JSON.parse(line) as { key: string; max: number };
        if (seq > first.get(key)!) conflicts.push({ collection: collection.name, key, seq });
      }
    }
    return conflicts;
  }

  /** The changes of the same rows after a position, except these. */
  private unselected(changes: readonly LoggedChange[], after: number): Predicate {
    const field = (name: string) => fieldExpression(stored(this.changes).byName.get(name)!);
    const [key, seq] = [field('key'), field('seq')];
    return {
      kind: 'all',
      terms: [
        { kind: 'in', of: key, values: [...new Set(changes.map((change) => change.key))] },
        { kind: 'compare', of: seq, operator: '>', value: after },
        { kind: 'not', term: { kind: 'in', of: seq, values: changes.map((change) => change.seq) } },
      ],
    };
  }

  /** The rows as the caller sees them, as preconditions by the key of the log. Absent rows must stay absent. */
  async preconditions(newest: readonly LoggedChange[]): Promise<ReadonlyMap<LoggedChange, Precondition>> {
    const found = new Map<LoggedChange, Precondition>();
    for (const { collection, rows } of chunks(newest)) {
      const changes = rows.flat() as unknown as Revert;
      const seen = this.visible(collection);
      const versions = await this.versions(collection, keysAre(changes));
      for (const change of changes) {
        const version = versions.get(nameOf(change.values));
        const precondition = { key: change.values, versions: version === undefined ? ('none' as const) : [version] };
        found.set(change, seen === undefined ? precondition : { ...precondition, seen });
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

  /** Rows as lines of JSON. */
  private async read(plan: ReadPlan): Promise<readonly string[]> {
    const columns = plan.columns.map(({ name }) => name);
    const encoding = { format: 'ndjson', stripNulls: false, columns } as const;
    const { body } = await this.engine.read(plan, encoding, undefined, this.position);
    let text = '';
    if (typeof body === 'string') text = this.counted(body);
    else {
      const decoder = new TextDecoder();
      for (let part = await body.next(); part.done !== true; part = await body.next()) {
        text += this.counted(decoder.decode(part.value, { stream: true }));
      }
    }
    return text === '' ? [] : text.trimEnd().split('\n');
  }

  private counted(text: string): string {
    this.bytes += text.length;
    if (this.bytes > MAX_UNDO_BYTES) throw tooLarge(`${MAX_UNDO_BYTES} bytes`);
    return text;
  }
}

type LoggedRow = Pick<LoggedChange, 'seq' | 'kind' | 'before' | 'after'> & {
  readonly collection: string;
  readonly key: string | null;
};

function nameOf(values: LoggedChange['values']): string {
  return JSON.stringify(values.map(String));
}

/** The changes by row, some rows of one collection at a time. The changes of a row keep their order. */
function* chunks(changes: readonly LoggedChange[]) {
  for (const [collection, some] of Map.groupBy(changes, (change) => change.collection)) {
    const rows = [...Map.groupBy(some, ({ key }) => key).values()];
    for (let at = 0; at < rows.length; at += ROWS_PER_READ) {
      yield { collection, rows: rows.slice(at, at + ROWS_PER_READ) };
    }
  }
}

function tooLarge(limit: string): ApiError {
  return new ApiError('54000', `an undo may revert ${limit}`, {
    details: 'Nothing was changed.',
    hint: 'Revert the newest changes first, with a filter such as seq=gte.<seq>.',
  });
}
