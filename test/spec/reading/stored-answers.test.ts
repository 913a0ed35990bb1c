/** The quota of stored responses for idempotency keys, which applies per caller. */
import { expect, test } from 'bun:test';
import { MAX_STORED_ANSWER_BYTES, MAX_STORED_ANSWERS_BYTES } from '../../../src/base/limits/engine.ts';
import type { WriteResult } from '../../../src/engine/engine.ts';
import { storedAnswer } from '../../../src/engine/shared/stored-answers.ts';

/** The quota grows back over this time, so it does not grow during the test. */
const HOURS = 1_000_000;

test('over the quota of a caller, responses are stored without rows, and other callers are not affected', () => {
  const store = {};
  const body = 'x'.repeat(MAX_STORED_ANSWER_BYTES / 2);
  const result: WriteResult = { affected: 1, inserted: 1, key: ['7'], body };
  const keep = (owner: string, given = result) => {
    const retry = { key: 'k', fingerprint: 'f', owner, maxAnswerBytes: MAX_STORED_ANSWER_BYTES };
    return JSON.parse(storedAnswer(store, retry, [given], HOURS)) as WriteResult;
  };
  const fitting = Math.floor(MAX_STORED_ANSWERS_BYTES / JSON.stringify(result).length);
  for (let count = 0; count < fitting; count++) expect(keep('ann').body).toBe(body);
  expect(keep('ann')).toEqual({ affected: 1, inserted: 1, key: ['7'], isBodyOmitted: true });
  expect(keep('bob')).toEqual(result);
  const { body: _, ...withoutRows } = result;
  expect(keep('ann', withoutRows)).toEqual(withoutRows);
});
