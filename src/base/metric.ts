/** A figure of the service with one value, for Prometheus. */
export interface Metric {
  /** For example `writes_waiting`. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly value: number;
}

export function gauge(name: string, help: string, value: number): Metric {
  return { name, kind: 'gauge', help, value };
}

export function counter(name: string, help: string, value: number): Metric {
  return { name, kind: 'counter', help, value };
}
