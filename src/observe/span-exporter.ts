/** Sends spans to a collector by OTLP over HTTP as JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp). */
import manifest from '../../package.json' with { type: 'json' };
import { counter, type Metric } from '../base/metric.ts';
import type { Log } from './log.ts';

const BATCH_SPANS = 512;
const FLUSH_MS = 2_000;
const MAX_WAITING_SPANS = 10_000;
const TIMEOUT_MS = 5_000;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  /** As performance.now() returns it. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly isError?: boolean;
}

const KINDS = { internal: 1, server: 2, client: 3 } as const;
const ERROR = { code: 2 };

export class SpanExporter {
  private waiting: Span[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sending: Promise<void> = Promise.resolve();
  private dropped = 0;
  private exported = 0;
  private isFailing = false;

  constructor(
    private readonly endpoint: string,
    private readonly log: Log,
  ) {}

  /** A collector that is down or slow never delays a request: spans that do not fit are dropped. */
  add(spans: readonly Span[]): void {
    if (this.waiting.length + spans.length > MAX_WAITING_SPANS) {
      this.dropped += spans.length;
      return;
    }
    this.waiting.push(...spans);
    if (this.waiting.length >= BATCH_SPANS) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  async stop(): Promise<void> {
    this.flush();
    await this.sending;
  }

  metrics(): readonly Metric[] {
    return [
      counter('trace_spans_total', 'Spans that the collector accepted.', this.exported),
      counter(
        'trace_spans_dropped_total',
        'Spans that were dropped because the collector did not accept them.',
        this.dropped,
      ),
    ];
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending = this.sending.then(async () => {
      const spans = this.waiting;
      this.waiting = [];
      if (spans.length > 0) await this.send(spans);
    });
  }

  private async send(spans: readonly Span[]): Promise<void> {
    try {
      const response = await fetch(`${this.endpoint.replace(/\/$/, '')}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(document(spans)),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`status ${response.status}`);
      this.exported += spans.length;
      this.isFailing = false;
    } catch (error) {
      this.dropped += spans.length;
      if (!this.isFailing) this.log.write('warn', 'traces cannot be sent', { reason: String(error) });
      this.isFailing = true;
    }
  }
}

function document(spans: readonly Span[]): object {
  const resource = attributesOf({ 'service.name': manifest.name, 'service.version': manifest.version });
  const scopeSpans = [{ scope: { name: manifest.name }, spans: spans.map(encode) }];
  return { resourceSpans: [{ resource: { attributes: resource }, scopeSpans }] };
}

function encode({ kind, start, end, attributes, isError, ...names }: Span): object {
  return {
    ...names,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: attributesOf(attributes),
    ...(isError === true ? { status: ERROR } : {}),
  };
}

/** A 64-bit integer is a text in the JSON of OTLP. */
function nanoseconds(time: number): string {
  return String(BigInt(Math.round((performance.timeOrigin + time) * 1000)) * 1000n);
}

function attributesOf(attributes: Span['attributes']): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return { key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } };
  });
}
