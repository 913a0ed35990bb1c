/** What a measurement came to, beside its baseline and its goal. */

/** A rate is held against the baseline's, as is a time; a bound is for the figure itself. */
export type Goal =
  | { readonly kind: 'share'; readonly atLeast: number }
  | { readonly kind: 'times'; readonly under: number }
  | { readonly kind: 'bound'; readonly under: number };

export interface Outcome {
  readonly name: string;
  readonly unit: string;
  /** Undefined where somebody else is measured, whom nobody set a goal. */
  readonly goal: Goal | undefined;
  /** Undefined for a bound. */
  readonly baseline: number | undefined;
  readonly service: number;
  /** Service to baseline, or to what is allowed. */
  readonly ratio: number;
  /** The lowest and the highest of the rounds' ratios. */
  readonly spread: readonly [number, number];
  /** The baseline's processor time for each request to the service's; NaN where it is not known. */
  readonly byCpu: number;
}

export interface Rounds {
  readonly name: string;
  readonly unit: string;
  readonly goal: Goal | undefined;
  readonly baseline?: readonly number[];
  readonly service: readonly number[];
  readonly cpu?: { readonly baseline: readonly number[]; readonly service: readonly number[] };
}

export function summarise({ name, unit, goal, baseline, service, cpu }: Rounds): Outcome {
  const allowed = goal?.kind === 'bound' ? goal.under : Number.NaN;
  const ratios = service.map((figure, round) => figure / (baseline?.[round] ?? allowed));
  return {
    name,
    unit,
    goal,
    baseline: baseline === undefined ? undefined : median(baseline),
    service: median(service),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    byCpu: cpu === undefined ? Number.NaN : median(cpu.baseline) / median(cpu.service),
  };
}

export function isMet({ goal, ratio }: Outcome): boolean {
  switch (goal?.kind) {
    case 'share':
      return ratio >= goal.atLeast;
    case 'times':
      return ratio < goal.under;
    case 'bound':
      return ratio < 1;
    case undefined:
      return true;
  }
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
