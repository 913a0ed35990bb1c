/** Whether memory stays what it was: the median of the last minute beside that of the second and third. */
import { median } from '../outcome.ts';

export interface Sample {
  /** Since the load began. */
  readonly second: number;
  readonly megabytes: number;
}

/** A tenth more is what the collector leaves lying about from one minute to another; a leak goes on past it. */
const TOLERANCE = 1.1;
/** So that the minutes that are compared lie apart. */
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
