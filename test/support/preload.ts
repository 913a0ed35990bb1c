/**
 * Settings of every test. The seed of generated tests is fixed, so that a passing run passes again: `SEED=7 npm test`
 * generates other cases, and a failure names its seed. A test and a hook may take 60 seconds, for a busy machine.
 */
import { setDefaultTimeout } from 'bun:test';
import fc from 'fast-check';
import { RUNS } from './generated/runs.ts';

const seed = Number(process.env.SEED ?? 20_261_115);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
setDefaultTimeout(60_000 * RUNS);
