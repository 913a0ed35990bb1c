/** Merges the metrics of several processes: counters add up, a shared gauge has its minimum or maximum. */
import type { Family, Sample } from './exposition.ts';

/** Gauges that do not add up. */
const NOT_ADDED: Readonly<Record<string, 'least' | 'most'>> = {
  catalogue_build_info: 'most',
  catalogue_ready: 'least',
  catalogue_database_up: 'least',
  catalogue_database_bytes: 'most',
  catalogue_database_log_bytes: 'most',
  catalogue_stored_files: 'most',
  catalogue_stored_files_bytes: 'most',
  catalogue_event_loop_lag_seconds: 'most',
  catalogue_event_loop_lag_max_seconds: 'most',
  process_start_time_seconds: 'least',
};

const JOIN = {
  sum: (one: number, other: number) => one + other,
  least: Math.min,
  most: Math.max,
} as const;

export function mergeMetrics(all: readonly (readonly Family[])[]): Family[] {
  const joined = new Map<string, { family: Family; samples: Map<string, Sample> }>();
  for (const family of all.flat()) {
    const { samples } = joined.get(family.name) ?? { samples: new Map<string, Sample>() };
    joined.set(family.name, { family, samples });
    const join = JOIN[NOT_ADDED[family.name] ?? 'sum'];
    for (const sample of family.samples) {
      const series = `${sample.suffix ?? ''} ${JSON.stringify(sample.labels ?? {})}`;
      const earlier = samples.get(series);
      samples.set(series, earlier === undefined ? sample : { ...earlier, value: join(earlier.value, sample.value) });
    }
  }
  return [...joined.values()].map(({ family, samples }) => ({ ...family, samples: [...samples.values()] }));
}

/** The metrics of a terminated process that remain valid: its counters. */
export function countersOf(families: readonly Family[]): Family[] {
  return families.filter(({ kind }) => kind !== 'gauge');
}
