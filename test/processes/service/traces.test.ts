/** Traces of requests, sent to a real HTTP collector. */
import { afterAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp, run, startService, temporaryFolder, until } from '../../support/processes/process.ts';

afterAll(cleanUp);

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string>> }[];
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

describe.each([...DATABASES])('traces on %s', (_, database) => {
  test('a request, its stages and statements are spans, also in the log of changes and in webhooks', async () => {
    const spans: Span[] = [];
    let isDown = false;
    using collector = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        if (isDown) return new Response(null, { status: 503 });
        expect(new URL(request.url).pathname).toBe('/v1/traces');
        for (const { scopeSpans } of ((await request.json()) as Export).resourceSpans) {
          for (const each of scopeSpans) spans.push(...each.spans);
        }
        return Response.json({});
      },
    });
    const parents: (string | null)[] = [];
    using receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        expect(Object.keys((await request.json()) as object)[0]).toBe('seq');
        parents.push(request.headers.get('traceparent'));
        return new Response();
      },
    });
    const cwd = temporaryFolder();
    const hook = `webhooks: { shop: { url: '${receiver.url.href}', secret: '${SECRET}' } }`;
    const items = 'collections: { items: { fields: { id: int4, name: text } } }';
    writeFileSync(join(cwd, 'collections.yaml'), `${hook}\n${items}\n`);
    const env = { ...database(), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.href };
    const service = await startService({ cwd, env });
    const ask = (path: string, init: RequestInit = {}, traceparent?: string) => {
      const headers = { 'content-type': 'application/json', ...(traceparent === undefined ? {} : { traceparent }) };
      return service.fetch(path, { ...init, headers });
    };
    const post = { method: 'POST', body: '{"id":1,"name":"Tea"}' };
    const written = await ask('/items', post, `00-${TRACE}-${PARENT}-01`);
    expect(written.status).toBe(201);
    const ofTrace = (id: string) => spans.filter(({ traceId }) => traceId === id);
    await until('the spans of the write', () => ofTrace(TRACE).length > 0);
    const root = ofTrace(TRACE).find(({ kind }) => kind === 2)!;
    expect(root).toMatchObject({ name: 'POST /items', parentSpanId: PARENT });
    expect(root.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: '201' } });
    const children = ofTrace(TRACE).filter(({ parentSpanId }) => parentSpanId === root.spanId);
    expect(children.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['parse', 'plan', 'transaction', 'response', 'INSERT items']),
    );
    for (const each of children) {
      expect(BigInt(each.startTimeUnixNano) >= BigInt(root.startTimeUnixNano)).toBe(true);
      expect(BigInt(each.endTimeUnixNano) >= BigInt(each.startTimeUnixNano)).toBe(true);
    }
    const id = `00-${TRACE}-${root.spanId}-01`;
    expect(written.headers.get('x-request-id')).toBe(id);
    const changes = await ask('/changes?select=request_id');
    expect(await changes.json()).toEqual([{ request_id: id }]);
    await until('the webhook', () => parents.length > 0);
    expect(parents).toEqual([id]);

    // Without a valid parent, a trace begins here. An unsampled one is not sent.
    await ask('/items?id=eq.1', {}, '00-zz-1-01');
    await until('the read', () =>
      spans.some(({ name, parentSpanId }) => name === 'GET /items' && parentSpanId === undefined),
    );
    const unsampled = 'a'.repeat(32);
    await ask('/items?id=eq.2', {}, `00-${unsampled}-${PARENT}-00`);
    isDown = true;
    expect((await ask('/items?id=eq.3')).status).toBe(200);
    await until('the failure', () => service.stderr().includes('traces cannot be sent'));
    expect(ofTrace(unsampled)).toEqual([]);
    expect(await (await ask('/metrics')).text()).toMatch(/^catalogue_trace_spans_dropped_total [1-9]/m);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });
});

test('an invalid address is rejected at start', async () => {
  const { stderr } = await run({ cwd: temporaryFolder(), args: ['serve', '--otlp-endpoint', 'collector:4318'] });
  expect(stderr).toContain('is an address such as http://127.0.0.1:4318');
});
