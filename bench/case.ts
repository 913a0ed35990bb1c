/** A benchmark case with a name that `--only` matches. It creates its fixtures when it runs. */
import type { Pace } from './alternate.ts';
import type { Fixtures } from './fixtures.ts';
import type { Outcome } from './outcome.ts';

export interface Case {
  readonly name: string;
  /** Whether the case is part of the quick run, which takes under a minute. */
  readonly quick?: boolean;
  readonly run: (fixtures: Fixtures, pace: Pace) => Promise<Outcome | readonly Outcome[]>;
}
