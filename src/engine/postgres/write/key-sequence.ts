/**
 * Assigned keys beside keys chosen by clients. Before a chosen key is stored, its sequence is advanced past it. If a
 * chosen and an assigned key still collide on two instances, the write takes another key.
 */
import type { Value } from '../../../collection/value.ts';
import { type Assignment, assignedValue, type WritePlan } from '../../../plan/write-plan.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import type { Pool } from '../connections/pool.ts';
import { ADVISORY_LOCKS, query } from '../driver.ts';
import { takenKey } from '../errors.ts';
import type { Step, WriteContext } from './step.ts';

const MAX_DRAWS = 5;

export class KeySequences {
  /** The minimum position of each sequence, so that most writes need not ask. It only grows. */
  private readonly positions = new Map<string, bigint>();

  /** Advances the sequence past the keys of a write. */
  async advancePast(pool: Pool, { sequence }: WriteContext, plan: WritePlan): Promise<void> {
    if (sequence === undefined) return;
    const largest = chosenKeys(plan).reduce((largest, key) => (key > largest ? key : largest), 0n);
    if (largest > (this.positions.get(sequence) ?? 0n)) await this.moveTo(pool, sequence, `${largest}`);
  }

  async retryTakenKey<T>(pool: Pool, failed: () => Pick<Step, 'context' | 'plan'>, work: () => Promise<T>): Promise<T> {
    for (let draw = 1; ; draw++) {
      try {
        return await work();
      } catch (error) {
        const { context, plan } = failed();
        const { sequence, collection } = context;
        const taken = takenKey(error, collection);
        if (draw === MAX_DRAWS || taken === undefined || sequence === undefined) throw error;
        if (plan.kind !== 'insert' || chosenKeys(plan).includes(BigInt(taken))) throw error;
        const column = identifier(collection.assigned!.name);
        await this.moveTo(pool, sequence, `(select coalesce(max(${column}), 1) from ${identifier(collection.name)})`);
      }
    }
  }

  private async moveTo(pool: Pool, sequence: string, minimum: string): Promise<void> {
    // Reads the position after taking the lock: a subquery runs when its value is first needed.
    const sql = `with held as materialized (select pg_advisory_xact_lock(${ADVISORY_LOCKS.sequence}))
      select setval(${quoteText(sequence)}, greatest(${minimum}, (select last_value from ${sequence})))::text as reached from held`;
    const [row] = await pool.dedicated('write', (connection) => query<{ reached: string }>(connection, sql));
    this.positions.set(sequence, BigInt(row?.reached ?? 0));
  }
}

/** The keys chosen by the client, if keys are assigned. */
function chosenKeys(plan: WritePlan): bigint[] {
  const { fields, assigned } = plan.into;
  if (assigned === undefined) return [];
  const index = fields.indexOf(assigned);
  const keysIn = (value: Value | undefined) =>
    value === undefined || typeof value === 'object' ? [] : [BigInt(value as number)];
  const keysInSet = (set: readonly Assignment[]) =>
    set.flatMap((each) => (each.field === assigned ? keysIn(assignedValue(each)) : []));
  switch (plan.kind) {
    case 'insert':
      return plan.rows.flatMap((row) => keysIn(row[index]));
    case 'update':
      return keysInSet(plan.set);
    case 'update-each':
      return plan.changes.flatMap(({ set }) => keysInSet(set));
    case 'delete':
      return [];
  }
}
