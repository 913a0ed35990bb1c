/**
 * Assigned keys beside keys chosen by clients. The sequence is advanced past every chosen key before it is stored. If a
 * chosen and an assigned key still collide on two instances, another key is drawn.
 */
import type { SQL } from 'bun';
import type { Value } from '../../../collection/value.ts';
import type { Assignment, WritePlan } from '../../../plan/types.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { ADVISORY_LOCKS } from '../advisory-locks.ts';
import { onDedicatedConnection } from '../connections/connection-limits.ts';
import { query } from '../driver.ts';
import { duplicateOf, sqlState } from '../errors.ts';
import type { WriteContext } from './statements.ts';

const MAX_DRAWS = 5;

export class Keys {
  /** The minimum position of each sequence, so that most writes need not ask. It only grows. */
  private readonly reached = new Map<string, bigint>();

  /** Advances the sequence past the keys of a write. */
  async pass(pool: SQL, { sequence }: WriteContext, plan: WritePlan): Promise<void> {
    if (plan.dryRun || sequence === undefined) return;
    const largest = chosen(plan).reduce((most, key) => (key > most ? key : most), 0n);
    if (largest > (this.reached.get(sequence) ?? 0n)) await this.moveTo(pool, sequence, `${largest}`);
  }

  /** Repeats an insert whose assigned key turned out to be taken. */
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
    // Reads the position after taking the lock: a subquery runs when its value is first needed.
    const sql = `with held as materialized (select pg_advisory_xact_lock(${ADVISORY_LOCKS.sequence}))
      select setval(${quoteText(sequence)}, greatest(${least}, (select last_value from ${sequence})))::text as reached from held`;
    const [moved] = await onDedicatedConnection(pool, 'write', (connection) =>
      query<{ reached: string }>(connection, { sql, params: [] }),
    );
    this.reached.set(sequence, BigInt(moved?.reached ?? 0));
  }
}

/** The keys chosen by the client, if keys are assigned. */
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
