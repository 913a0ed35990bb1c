/** Prometheus' text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). */
import type { Metric } from '../base/metric.ts';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string;
}

export interface Family {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export function family(name: string, kind: Family['kind'], help: string, ...samples: readonly Sample[]): Family {
  return { name, kind, help, samples };
}

/** A metric with one value. */
export function metric(name: string, kind: 'counter' | 'gauge', help: string, value: number): Family {
  return family(name, kind, help, { value });
}

/** A figure of a part of the service. */
export function familyOf({ name, kind, help, value }: Metric): Family {
  return metric(`catalogue_${name}`, kind, help, value);
}

export function exposition(families: readonly Family[]): string {
  return families.map(familyText).join('');
}

function familyText({ name, kind, help, samples }: Family): string {
  const lines = samples.map(
    ({ value, labels, suffix = '' }) => `${name}${suffix}${labels === undefined ? '' : labelText(labels)} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${quoted(String(value))}"`);
  return `{${pairs.join(',')}}`;
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

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
