/**
 * Keys that are assigned, beside keys that clients choose. The sequence is moved past every chosen key before the key is
 * stored; where a chosen and an assigned one still meet, on two instances at once, the assigned one is drawn again. Where
 * the sequence has come to its end, the keys are taken from those that are free, and the sequence goes on from there.
 */
import type { SQL } from 'bun';
import type { Value } from '../../collection/value.ts';
import { INT4_MAX } from '../../limits.ts';
import type { InsertPlan, WritePlan } from '../../plan/types.ts';
import { numberRows } from '../compile/free-keys.ts';
import { identifier } from '../compile/statement.ts';
import { query, quoteText, type Runner } from './driver.ts';
import { freePosition, holdSequence, isAtItsEnd, SEQUENCE_LOCK, setSequence } from './free-keys.ts';
import { duplicateOf, sqlState } from './refusals.ts';
import { inTransaction } from './transaction.ts';
import type { WriteContext } from './writes.ts';

const MAX_DRAWS = 5;

export class Keys {
  /**
   * The sequence has reached this at least, so that most writes need not ask. It only grows, but from its end: where
   * another instance has wound it back, an assigned key may meet a chosen one, and is drawn again.
   */
  private reached = 0;

  constructor(private readonly context: WriteContext) {}

  /** Moves the sequence past the keys that a write brings with it. */
  async pass(pool: SQL, plan: WritePlan): Promise<void> {
    if (plan.dryRun) return;
    // One by one: as the arguments of a call, hundreds of thousands of keys are more than it takes.
    const largest = this.chosen(plan).reduce<number>((most, key) => Math.max(most, Number(key)), 0);
    if (largest > this.reached) await this.moveTo(pool, `${largest}`);
  }

  /** The same insert again, where a key that was assigned turned out to be taken. */
  async drawAgain<T>(pool: SQL, plan: WritePlan, work: (plan: WritePlan) => Promise<T>): Promise<T> {
    let drawn = plan;
    for (let draw = 1; ; draw++) {
      try {
        return await work(drawn);
      } catch (error) {
        if (draw === MAX_DRAWS || plan.kind !== 'insert') throw error;
        drawn = sqlState(error) === '2200H' ? await this.number(pool, plan) : await this.passTaken(pool, plan, error);
      }
    }
  }

  private async passTaken(pool: SQL, plan: InsertPlan, error: unknown): Promise<InsertPlan> {
    const taken = sqlState(error) === '23505' ? duplicateOf(error) : undefined;
    if (taken === undefined || this.chosen(plan).includes(taken)) throw error;
    const { name, key } = this.context.collection;
    await this.moveTo(pool, `(select coalesce(max(${identifier(key.name)}), 1) from ${identifier(name)})`);
    return plan;
  }

  /** The plan with keys that are free; as it was, where another has wound the sequence back in the meantime. */
  private number(pool: SQL, plan: InsertPlan): Promise<InsertPlan> {
    const { fields, key } = this.context.collection;
    const number = async (connection: Runner) => {
      await holdSequence(connection);
      if (!(await isAtItsEnd(connection, this.context, 1))) return plan;
      const position = await freePosition(connection, this.context, plan.rows.length);
      const { rows, last } = numberRows(plan.rows, fields.indexOf(key), position);
      await setSequence(connection, this.context, last);
      this.reached = last;
      return { ...plan, rows };
    };
    return inTransaction(pool, number, true);
  }

  private async moveTo(pool: SQL, least: string): Promise<void> {
    const { sequence } = this.context;
    // The position is read after the lock is had: a subquery runs when its value is first needed.
    const [moved] = await query<{ reached: number }>(pool, {
      sql: `with held as materialized (select pg_advisory_xact_lock(${SEQUENCE_LOCK}))
        select setval(${quoteText(sequence)}, greatest(${least}, (select last_value from ${sequence})))::float8 as reached from held`,
      params: [],
    });
    const reached = Number(moved?.reached ?? 0);
    this.reached = reached < INT4_MAX ? reached : 0;
  }

  private chosen(plan: WritePlan): Value[] {
    const { fields, key } = this.context.collection;
    const place = fields.indexOf(key);
    switch (plan.kind) {
      case 'insert':
        return plan.rows.flatMap((row) => row[place] ?? []);
      case 'update':
        return plan.set.flatMap(({ field, value }) => (field.name === key.name ? [value] : []));
      case 'update-each':
        return plan.changes.flatMap(({ set }) =>
          set.flatMap(({ field, value }) => (field.name === key.name ? [value] : [])),
        );
      case 'delete':
        return [];
    }
  }
}
