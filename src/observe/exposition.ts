/** Prometheus' text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). */

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string | number>>;

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
