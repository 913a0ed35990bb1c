/** Checks that memory is flat: compares the median of the last minute with that of the second and third minute. */
import { median } from '../outcome.ts';

export interface Sample {
  /** Seconds since the load began. */
  readonly second: number;
  readonly megabytes: number;
}

/** The garbage collector causes fluctuations of up to a tenth between minutes. A leak grows beyond that. */
const TOLERANCE = 1.1;
/** The minimum duration, so that the compared minutes do not overlap. */
export const LEAST_MINUTES = 4;

export interface Verdict {
  readonly early: number;
  readonly late: number;
  readonly isFlat: boolean;
}

export function judge(samples: readonly Sample[]): Verdict {
  const end = samples.at(-1)!.second;
  const between = (from: number, to: number) =>
    median(samples.filter(({ second }) => second > from && second <= to).map(({ megabytes }) => megabytes));
  const [early, late] = [between(60, 180), between(end - 60, end)];
  return { early, late, isFlat: late <= early * TOLERANCE };
}
