/** Reads and writes the rows of files, with the same plans as other rows. */
import type { Catalogue, Collection } from '../collection/declaration.ts';
import { CHUNKS, CONTENTS, FILES, STORAGES, VARIANTS } from '../collection/files.ts';
import { storeJson } from '../collection/types/type.ts';
import { pageOfQuery } from '../dialect/page.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Encoding } from '../encode/encoding.ts';
import { type Engine, NEWEST, type Write, type WriteResult } from '../engine/engine.ts';
import { keyIs } from '../plan/keys.ts';
import { planRead } from '../plan/read/read.ts';
import { WHOLE_ROW_JSON } from '../plan/read/whole-row.ts';
import { ALWAYS, type Origin, type Predicate, type ReadPlan, type WritePlan } from '../plan/types.ts';
import { readWhole } from '../response/body.ts';

const NOTHING: Encoding = { format: 'json', stripNulls: false, columns: [] };
const ONCE = { singular: false, mustExist: false } as const;

type FileRow = Readonly<Record<string, unknown>>;

export class FileRecords {
  readonly files: Collection;
  readonly contents: Collection;
  readonly variants: Collection;
  readonly chunks: Collection;
  readonly storages: Collection;

  constructor(
    readonly engine: Engine,
    { collections }: Catalogue,
  ) {
    this.files = collections.get(FILES)!;
    this.contents = collections.get(CONTENTS)!;
    this.chunks = collections.get(CHUNKS)!;
    this.variants = collections.get(VARIANTS)!;
    this.storages = collections.get(STORAGES)!;
  }

  async execute(writes: readonly Write[], origin?: Origin): Promise<readonly WriteResult[]> {
    return this.engine.write(writes, { dryRun: false, ...(origin === undefined ? {} : { origin }) });
  }

  /** Sees every write that was answered before, of any instance. A read that may lag can run on a replica. */
  async rows<Row>(plan: ReadPlan, mayLag = false): Promise<readonly Row[]> {
    const { body } = await readWhole(await this.engine.read(plan, WHOLE_ROW_JSON, mayLag ? undefined : NEWEST));
    return JSON.parse(body) as readonly Row[];
  }

  /** Reads where it is cheapest, and again without lag if nothing is found there. */
  async eventually<Row>(read: (mayLag: boolean) => Promise<readonly Row[]>): Promise<readonly Row[]> {
    const rows = await read(true);
    return rows.length === 0 && this.engine.hasPositions === true ? read(false) : rows;
  }

  query(collection: Collection, text: string): ReadPlan {
    const query = parseQuery(text);
    return planRead(collection, query, pageOfQuery(query), undefined);
  }

  where(collection: Collection, text: string): Predicate {
    return this.query(collection, text).where;
  }

  /** Whether a row of this collection refers to the content. */
  isContentUsedBy(to: Collection, name: string): Predicate {
    const inner = to.byName.get(name)!;
    const reference = to.references.find(({ field }) => field === inner)!;
    const sides = { from: this.contents, to, outer: this.contents.key[0]!, inner, referring: inner };
    const relation = { cardinality: 'one-to-many', name: reference.name, ...sides } as const;
    return { kind: 'exists', relation, where: ALWAYS };
  }

  /** Stores the fields of a content, whose row may exist already. The time is that of the last change. */
  content(row: FileRow & { readonly id: string }, exists: boolean): Write {
    const dated = { created_at: new Date().toISOString(), ...row };
    return exists ? this.change(this.contents, row.id, dated) : this.insertion(this.contents, dated);
  }

  insertion(into: Collection, row: FileRow): Write {
    const values = into.fields.map(({ name, type }) => storeJson(type, row[name] ?? null));
    return write({ kind: 'insert', into, rows: [values], given: into.fields, conflict: 'refuse', ...ONCE });
  }

  /** Changes fields of the row with this key, which must exist. */
  change(into: Collection, key: string, row: FileRow): Write {
    const given = into.fields.filter(({ name }) => Object.hasOwn(row, name));
    const set = given.map((field) => ({ field, value: storeJson(field.type, row[field.name]) }));
    return write({ kind: 'update', into, where: keyIs(into, [key]), set, given, affects: 1, ...ONCE });
  }

  /** Changes a field of all matching rows. */
  changeAll(into: Collection, where: Predicate, name: string, value: string | null): Write {
    const field = into.byName.get(name)!;
    return write({ kind: 'update', into, where, set: [{ field, value }], given: [field], ...ONCE });
  }

  deletion(into: Collection, where: Predicate): Write {
    return write({ kind: 'delete', into, where, ...ONCE });
  }
}

function write(plan: WritePlan): Write {
  return { plan, encoding: NOTHING };
}
