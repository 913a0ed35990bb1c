/** The result of a measurement, with its baseline and its goal. */

/** A goal: a rate or a time is compared with the baseline, and a bound with the value itself. */
export type Goal =
  | { readonly kind: 'share'; readonly atLeast: number }
  | { readonly kind: 'times'; readonly under: number }
  | { readonly kind: 'bound'; readonly under: number };

export interface Outcome {
  readonly name: string;
  readonly unit: string;
  /** Undefined for other servers, which have no goal. */
  readonly goal: Goal | undefined;
  /** Undefined for a bound. */
  readonly baseline: number | undefined;
  readonly service: number;
  /** The ratio of the service to the baseline, or to the bound. */
  readonly ratio: number;
  /** The lowest and the highest ratio of all rounds. */
  readonly spread: readonly [number, number];
  /** The CPU time per request of the baseline divided by that of the service, or NaN if unknown. */
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
    byCpu: cpu === undefined ? Number.NaN : median(cpu.service.map((each, round) => cpu.baseline[round]! / each)),
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
