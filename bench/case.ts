/** A case: something to measure, with a name that `--only` finds it by. What it needs is made when it runs. */
import type { Pace } from './alternate.ts';
import type { Fixtures } from './fixtures.ts';
import type { Outcome } from './outcome.ts';

export interface Case {
  readonly name: string;
  /** Part of the run that takes under a minute. */
  readonly quick?: boolean;
  readonly run: (fixtures: Fixtures, pace: Pace) => Promise<Outcome | readonly Outcome[]>;
}
