/**
 * The rows of a list that is read where the requests are. Where they are likely to be known, only their keys are read. What
 * lies between two looks at the mark that find it the same is of one moment: known rows, keys and new rows alike.
 */
import type { Collection } from '../../collection/declaration.ts';
import type { Row, Value } from '../../collection/value.ts';
import { NO_ORDER, wholeRow } from '../../plan/shape.ts';
import type { OutputColumn, ReadPlan } from '../../plan/types.ts';
import { compileRead } from '../compile/read.ts';
import type { Statement } from '../compile/statement.ts';
import type { ChangeMark } from '../engine.ts';
import type { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { KnownRows } from './known-rows.ts';
import { readRows } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

/** How a plan is to be carried out; undefined where it is not to be carried out here. */
export type Compile = (plan: ReadPlan) => Statement | undefined;

export class Lists {
  private readonly whole: readonly OutputColumn[];
  private readonly keys: readonly OutputColumn[];
  private readonly known: KnownRows;

  constructor(
    private readonly connection: Connection,
    private readonly collection: Collection,
    private readonly changes: ChangeMark,
    /** Absent in memory. */
    private readonly snapshot: Snapshot | undefined,
  ) {
    const { key } = collection;
    this.whole = wholeRow(collection);
    this.keys = this.whole.filter(({ name }) => name === key.name);
    this.known = new KnownRows(key.name);
  }

  /** `mark` is the data's, to which the snapshot was just brought; undefined where `compile` is. */
  rows(plan: ReadPlan, mark: number, compile: Compile): readonly Row[] | undefined {
    if (plan.columns !== this.whole || this.snapshot?.isStill !== true) return this.read(plan, compile);
    if (this.known.areUsual(mark)) {
      const keys = this.read({ ...plan, columns: this.keys }, compile);
      if (keys === undefined) return undefined;
      const rows = this.known.ofKeys(keys, this.readByKey);
      // Somebody may have written just before the keys were read: they are newer than the rows that were known, then.
      if (this.changes.current() === mark) return rows;
    }
    const rows = this.read(plan, compile);
    if (rows !== undefined) this.known.learn(rows);
    return rows;
  }

  private read(plan: ReadPlan, compile: Compile): readonly Row[] | undefined {
    const statement = compile(plan);
    return statement && readRows(this.connection, plan, statement);
  }

  private readonly readByKey = (values: readonly Value[]): readonly Row[] => {
    const { name, key } = this.collection;
    const where = { kind: 'in', field: key, values } as const;
    const plan: ReadPlan = { kind: 'read', columns: this.whole, order: NO_ORDER, where, offset: 0 };
    return readRows(this.connection, plan, compileRead(name, plan, sqliteDialect));
  };
}
