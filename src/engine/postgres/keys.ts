/**
 * Keys that are assigned, beside keys that clients choose. The sequence is moved past every chosen key before the key is
 * stored; where a chosen and an assigned one still meet, on two instances at once, the assigned one is drawn again.
 */
import type { SQL } from 'bun';
import type { Value } from '../../collection/value.ts';
import type { WritePlan } from '../../plan/types.ts';
import { identifier } from '../compile/statement.ts';
import { query, quoteText } from './driver.ts';
import { duplicateOf, sqlState } from './refusals.ts';
import type { WriteContext } from './writes.ts';

const MAX_DRAWS = 5;
/** One lock for all who move a sequence: of two who do it at once, neither takes it back. "PCat" + 1. */
const SEQUENCE_LOCK = 0x50436175;

export class Keys {
  /** The sequence has reached this at least, so that most writes need not ask. It only grows. */
  private reached = 0;

  constructor(private readonly context: WriteContext) {}

  /** Moves the sequence past the keys that a write brings with it. */
  async pass(pool: SQL, plan: WritePlan): Promise<void> {
    if (plan.dryRun) return;
    const largest = this.chosen(plan).reduce<number>((most, key) => Math.max(most, Number(key)), 0);
    if (largest > this.reached) await this.moveTo(pool, `${largest}`);
  }

  /** The same insert again, where a key that was assigned turned out to be taken. */
  async drawAgain<T>(pool: SQL, plan: WritePlan, work: () => Promise<T>): Promise<T> {
    for (let draw = 1; ; draw++) {
      try {
        return await work();
      } catch (error) {
        const taken = sqlState(error) === '23505' ? duplicateOf(error) : undefined;
        if (draw === MAX_DRAWS || taken === undefined) throw error;
        if (plan.kind !== 'insert' || this.chosen(plan).includes(taken)) throw error;
        const { name, key } = this.context.collection;
        await this.moveTo(pool, `(select coalesce(max(${identifier(key.name)}), 1) from ${identifier(name)})`);
      }
    }
  }

  private async moveTo(pool: SQL, least: string): Promise<void> {
    const { sequence } = this.context;
    // The position is read after the lock is had: a subquery runs when its value is first needed.
    const [moved] = await query<{ reached: number }>(pool, {
      sql: `with held as materialized (select pg_advisory_xact_lock(${SEQUENCE_LOCK}))
        select setval(${quoteText(sequence)}, greatest(${least}, (select last_value from ${sequence})))::float8 as reached from held`,
      params: [],
    });
    this.reached = Number(moved?.reached ?? 0);
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
