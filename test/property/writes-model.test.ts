/** Any sequence of writes leaves the same rows as an in-memory list model. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Row } from '../../src/collection/value.ts';
import { type Catalogue, openCatalogue, REFERENCE_PRODUCTS, WITH_MEMORY } from '../support/engines/catalogue.ts';
import { type GeneratedWrite, generatedWrite } from '../support/generated/generated-writes.ts';
import { RUNS } from '../support/generated/generators.ts';
import { ids, sendJson } from '../support/stories.ts';

const byId = (one: Row, other: Row) => Number(one.id) - Number(other.id);

interface Answer {
  readonly status: number;
  readonly rows: readonly Row[];
}

async function perform(catalogue: Catalogue, write: GeneratedWrite, isDryRun: boolean): Promise<Answer> {
  const prefer = ['return=representation', ...write.prefer, ...(isDryRun ? ['tx=rollback'] : [])].join(', ');
  const response = await catalogue.fetch(write.path, {
    ...(write.method === 'DELETE'
      ? { method: 'DELETE', headers: { prefer } }
      : sendJson(write.method, write.body, { prefer })),
  });
  const body = (await response.json()) as readonly Row[];
  return { status: response.status, rows: response.status < 300 ? body : [] };
}

describe.each(WITH_MEMORY)('sequences of writes on %s', (engine) => {
  test('leave the same rows as an in-memory model, return the written rows, and never reuse an id', async () => {
    const counts = { done: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(generatedWrite, fc.integer({ min: 0, max: 7 })), { minLength: 1, maxLength: 12 }),
        async (writes) => {
          const catalogue = await openCatalogue(engine);
          let rows: readonly Row[] = REFERENCE_PRODUCTS;
          let largestEver = 77;
          for (const [write, dice] of writes) {
            const isDryRun = dice === 0;
            const answer = await perform(catalogue, write, isDryRun);
            const assigned = write.unnumbered > 0 ? ids(answer.rows) : [];
            const effect = write.effect(rows, assigned);
            const isRefused = answer.status >= 400 && answer.status < 500;
            expect({ write, isRefused }).toEqual({ write, isRefused: effect === undefined });
            counts[isRefused ? 'refused' : 'done']++;
            if (effect === undefined) continue;
            expect(answer.rows.toSorted(byId)).toEqual(effect.written.toSorted(byId));
            for (const id of assigned) expect(id).toBeGreaterThan(largestEver);
            expect(new Set(assigned).size).toBe(assigned.length);
            if (isDryRun) continue;
            rows = effect.rows;
            largestEver = Math.max(largestEver, ...ids(effect.written));
            expect(await catalogue.list()).toEqual([...rows]);
          }
          expect(await catalogue.list()).toEqual([...rows]);
          await catalogue.close();
        },
      ),
      { numRuns: 30 * RUNS },
    );
    // The generator must produce both valid and invalid writes.
    expect(counts.done).toBeGreaterThan(100);
    expect(counts.refused).toBeGreaterThan(25);
  });
});
