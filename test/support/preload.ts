/** Measures every test file, and sets the seed of generated tests. A failure names its seed. */
import fc from 'fast-check';
import './file-times.ts';
import { SEED } from './generated/runs.ts';
import './threads.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
