/** Reads and writes the rows of files. */
import type { Catalogue, Collection } from '../collection/declaration.ts';
import { CHUNKS, CONTENTS, FILES, STORAGES, VARIANTS } from '../collection/files.ts';
import { type Engine, NEWEST, type Write } from '../engine/engine.ts';
import { RowStore } from '../engine/row-store.ts';
import { keyIs } from '../plan/resolve.ts';
import { ALWAYS, type Predicate, type ReadPlan } from '../plan/types.ts';

export class FileRecords extends RowStore {
  readonly files: Collection;
  readonly contents: Collection;
  readonly variants: Collection;
  readonly chunks: Collection;
  readonly storages: Collection;

  constructor(engine: Engine, { collections }: Catalogue) {
    super(engine);
    this.files = collections.get(FILES)!;
    this.contents = collections.get(CONTENTS)!;
    this.chunks = collections.get(CHUNKS)!;
    this.variants = collections.get(VARIANTS)!;
    this.storages = collections.get(STORAGES)!;
  }

  /** Sees every write that was answered before, of any instance. A read that may lag can run on a replica. */
  async rows<Row>(plan: ReadPlan, mayLag = false): Promise<readonly Row[]> {
    return this.read(plan, mayLag ? undefined : NEWEST);
  }

  /** Reads where it is cheapest, and again without lag if nothing is found there. */
  async eventually<Row>(read: (mayLag: boolean) => Promise<readonly Row[]>): Promise<readonly Row[]> {
    const rows = await read(true);
    return rows.length === 0 && this.engine.hasPositions === true ? read(false) : rows;
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
  content(row: Readonly<Record<string, unknown>> & { readonly id: string }, exists: boolean): Write {
    const dated = { created_at: new Date().toISOString(), ...row };
    if (!exists) return this.insertion(this.contents, dated);
    return this.change(this.contents, keyIs(this.contents, [row.id]), dated, { affects: 1 });
  }
}
