/**
 * Spans of each request: the request, its stages, and its statements. `traceparent` continues the trace of the client
 * (https://www.w3.org/TR/trace-context/). Nothing of this is loaded if traces are off.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Engine, MaybePromise } from '../engine/engine.ts';
import type { CompletedRequest } from '../response/request-context.ts';
import type { Span, SpanExporter } from './span-exporter.ts';

const TRACE_PARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;
const SAMPLED = 1;

/** The trace of a request in progress. */
interface Trace {
  readonly traceId: string;
  /** The span of the request. */
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly isSampled: boolean;
  readonly spans: Span[];
}

export class Tracing {
  private readonly current = new AsyncLocalStorage<Trace>();

  constructor(private readonly exporter: SpanExporter) {}

  /** Answers a request in the trace of its `traceparent`. */
  run<T>(header: string | null, work: () => T): T {
    const [, traceId = newId(16), parentSpanId, flags = '01'] = TRACE_PARENT.exec(header ?? '') ?? [];
    const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
    const trace = { traceId, spanId: newId(8), ...(parentSpanId && { parentSpanId }), isSampled, spans: [] };
    return this.current.run(trace, work);
  }

  /** The `traceparent` of what the request causes. It is the id of the request, unless the client sends one. */
  readonly parent = (): string | undefined => {
    const trace = this.current.getStore();
    return trace && `00-${trace.traceId}-${trace.spanId}-${trace.isSampled ? '01' : '00'}`;
  };

  /** Adds the spans of a complete request. */
  readonly end = ({ call, route, status, started, milliseconds, stages, id, caller }: CompletedRequest): void => {
    const trace = this.current.getStore();
    if (trace === undefined || !trace.isSampled) return;
    const { spans, isSampled: _, ...ids } = trace;
    const attributes = {
      'http.request.method': call.method,
      'http.route': route,
      'http.response.status_code': status,
      'catalogue.request_id': id,
      'catalogue.role': caller?.role,
    };
    const name = `${call.method} ${route ?? 'other'}`;
    const root = { ...ids, name, kind: 'server', start: started, end: started + milliseconds, attributes } as const;
    const children = stages.map(([stage, start, end]) => this.child(trace, stage, 'internal', start, end, {}));
    this.exporter.add([{ ...root, isError: status >= 500 }, ...children, ...spans]);
  };

  /** The same engine, with a span for each statement: a read, or the writes of a transaction. */
  around(engine: Engine): Engine {
    const read: Engine['read'] = (plan, ...more) =>
      this.statement('SELECT', plan.from.name, () => engine.read(plan, ...more));
    const write: Engine['write'] = (writes, options) => {
      const [first] = writes;
      const kind = first === undefined ? 'BEGIN' : first.plan.kind.toUpperCase();
      return this.statement(
        kind,
        first?.plan.into.name ?? '',
        async () => engine.write(writes, options),
        writes.length,
      );
    };
    return new Proxy(engine, {
      get: (target, name) => {
        if (name === 'read') return read;
        if (name === 'write') return write;
        if (name === 'as' && target.as !== undefined)
          return (session: Parameters<NonNullable<Engine['as']>>[0]) => this.around(target.as!(session));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value as (...all: unknown[]) => unknown).bind(target) : value;
      },
    });
  }

  private statement<T extends MaybePromise<unknown>>(kind: string, table: string, work: () => T, count = 1): T {
    const trace = this.current.getStore();
    if (trace === undefined || !trace.isSampled) return work();
    const start = performance.now();
    const end = (isError: boolean) => {
      const attributes = { 'db.operation.name': kind, 'db.collection.name': table, 'db.operation.batch.size': count };
      trace.spans.push({
        ...this.child(trace, `${kind} ${table}`, 'client', start, performance.now(), attributes),
        isError,
      });
    };
    try {
      const result = work();
      if (result instanceof Promise)
        result.then(
          () => end(false),
          () => end(true),
        );
      else end(false);
      return result;
    } catch (error) {
      end(true);
      throw error;
    }
  }

  private child(
    { traceId, spanId }: Trace,
    name: string,
    kind: Span['kind'],
    start: number,
    end: number,
    attributes: Span['attributes'],
  ): Span {
    return { traceId, spanId: newId(8), parentSpanId: spanId, name, kind, start, end, attributes };
  }
}

function newId(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
}
