/**
 * Keys that are assigned, beside keys that clients choose. The sequence is moved past every chosen key before the key is
 * stored; where a chosen and an assigned one still meet, on two instances at once, the assigned one is drawn again.
 */
import type { SQL } from 'bun';
import type { Value } from '../../collection/value.ts';
import type { Assignment, WritePlan } from '../../plan/types.ts';
import { identifier } from '../compile/statement.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { onDedicatedConnection } from './connections/connection-limits.ts';
import { query, quoteText } from './driver.ts';
import { duplicateOf, sqlState } from './refusals.ts';
import type { WriteContext } from './writes.ts';

const MAX_DRAWS = 5;

export class Keys {
  /** Each sequence has reached this at least, so that most writes need not ask. It only grows. */
  private readonly reached = new Map<string, bigint>();

  /** Moves the sequence past the keys that a write brings with it. */
  async pass(pool: SQL, { sequence }: WriteContext, plan: WritePlan): Promise<void> {
    if (plan.dryRun || sequence === undefined) return;
    const largest = chosen(plan).reduce((most, key) => (key > most ? key : most), 0n);
    if (largest > (this.reached.get(sequence) ?? 0n)) await this.moveTo(pool, sequence, `${largest}`);
  }

  /** The same insert again, where a key that was assigned turned out to be taken. */
  async drawAgain<T>(pool: SQL, context: WriteContext, plan: WritePlan, work: () => Promise<T>): Promise<T> {
    const { sequence, collection } = context;
    for (let draw = 1; ; draw++) {
      try {
        return await work();
      } catch (error) {
        const taken = sqlState(error) === '23505' ? duplicateOf(error, collection) : undefined;
        if (draw === MAX_DRAWS || taken === undefined || sequence === undefined) throw error;
        if (plan.kind !== 'insert' || chosen(plan).includes(BigInt(taken))) throw error;
        const column = identifier(collection.assigned!.name);
        await this.moveTo(pool, sequence, `(select coalesce(max(${column}), 1) from ${identifier(collection.name)})`);
      }
    }
  }

  private async moveTo(pool: SQL, sequence: string, least: string): Promise<void> {
    // The position is read after the lock is had: a subquery runs when its value is first needed.
    const sql = `with held as materialized (select pg_advisory_xact_lock(${ADVISORY_LOCKS.sequence}))
      select setval(${quoteText(sequence)}, greatest(${least}, (select last_value from ${sequence})))::text as reached from held`;
    const [moved] = await onDedicatedConnection(pool, 'write', (connection) =>
      query<{ reached: string }>(connection, { sql, params: [] }),
    );
    this.reached.set(sequence, BigInt(moved?.reached ?? 0));
  }
}

/** The keys that clients chose, where keys are assigned. */
function chosen(plan: WritePlan): bigint[] {
  const { fields, assigned } = plan.into;
  if (assigned === undefined) return [];
  const place = fields.indexOf(assigned);
  const isChosen = (value: Value | undefined) =>
    value === undefined || value === null ? [] : [BigInt(value as number)];
  const ofSet = (set: readonly Assignment[]) =>
    set.flatMap(({ field, value }) => (field === assigned ? isChosen(value) : []));
  switch (plan.kind) {
    case 'insert':
      return plan.rows.flatMap((row) => isChosen(row[place]));
    case 'update':
      return ofSet(plan.set);
    case 'update-each':
      return plan.changes.flatMap(({ set }) => ofSet(set));
    case 'delete':
      return [];
  }
}
