/** Request bodies: limited individually and in total, by the bytes received and not by the announced length. */
import { describe, expect, test } from 'bun:test';
import { ApiError } from '../../src/base/errors.ts';
import { SHORT_BODY_BYTES, STALLED_BODY_SECONDS } from '../../src/base/limits/http.ts';
import { type Body, BodyReceiver } from '../../src/http/body/body-receiver.ts';
import { callOf } from '../support/call.ts';

const MEGABYTE = 1024 * 1024;

/** Creates a request whose body arrives in parts that the test sends. */
function slowRequest() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(each) {
      controller = each;
    },
  });
  return {
    request: callOf(new Request('http://catalogue/products', { method: 'POST', body })),
    send: (bytes: number) => controller.enqueue(new Uint8Array(bytes)),
    end: () => controller.close(),
  };
}

const wholeRequest = (bytes: number) =>
  callOf(
    new Request('http://catalogue/products', {
      method: 'POST',
      body: new Uint8Array(bytes),
      headers: { 'content-length': String(bytes) },
    }),
  );

const held = (bodies: BodyReceiver) => bodies.metrics()[0].value;

async function refusalOf(work: Promise<unknown>): Promise<ApiError> {
  const outcome: unknown = await work.catch((error) => error);
  if (!(outcome instanceof ApiError)) throw new Error(`not refused: ${outcome}`);
  return outcome;
}

/** Waits until the bodies hold this many bytes, because the service reads them in later turns of the event loop. */
async function untilHeld(bodies: BodyReceiver, bytes: number): Promise<void> {
  for (let turn = 0; held(bodies) !== bytes && turn < 1_000; turn++) await new Promise(setImmediate);
  expect(held(bodies)).toBe(bytes);
}

describe('concurrent bodies', () => {
  test('count from the first byte until release, including the memory of their parsed form', async () => {
    const bodies = new BodyReceiver(4 * MEGABYTE, 8 * MEGABYTE);
    const body = await bodies.receive(wholeRequest(MEGABYTE));
    expect([body.bytes.length, body.isLong, held(bodies)]).toEqual([MEGABYTE, true, MEGABYTE]);
    body.count(2 * MEGABYTE);
    expect(held(bodies)).toBe(3 * MEGABYTE);
    body.release();
    body.release();
    expect(held(bodies)).toBe(0);
  });

  test('that are short do not count their parsed form, however much the others hold', async () => {
    const bodies = new BodyReceiver(4 * MEGABYTE, MEGABYTE);
    await bodies.receive(wholeRequest(MEGABYTE));
    const short = await bodies.receive(wholeRequest(100));
    short.count(1_000);
    expect(held(bodies)).toBe(MEGABYTE);
  });

  test('that trickle in count as stalled', async () => {
    const bodies = new BodyReceiver(4 * MEGABYTE, MEGABYTE);
    const slow = slowRequest();
    const refused = refusalOf(bodies.receive(slow.request));
    slow.send(1_000);
    await untilHeld(bodies, 1_000);
    await Bun.sleep(STALLED_BODY_SECONDS * 1000 + 100);
    slow.send(1);
    await untilHeld(bodies, 1_001);
    expect((await bodies.receive(wholeRequest(MEGABYTE))).bytes.length).toBe(MEGABYTE);
    expect((await refused).code).toBe('CAT503');
  });

  test('that arrive in many small parts do not starve others', async () => {
    const bodies = new BodyReceiver(4 * MEGABYTE, MEGABYTE);
    const { request, send, end } = slowRequest();
    for (let piece = 0; piece < 1_000; piece++) send(1);
    end();
    let isReceived = false;
    const received = bodies.receive(request).finally(() => {
      isReceived = true;
    });
    let turns = 0;
    for (; !isReceived; turns++) await new Promise(setImmediate);
    expect((await received).bytes.length).toBe(1_000);
    expect(turns).toBeGreaterThan(500);
  });

  test('that are short do not count', async () => {
    const bodies = new BodyReceiver(4 * MEGABYTE, MEGABYTE);
    const all = await Promise.all(Array.from({ length: 40 }, () => bodies.receive(wholeRequest(SHORT_BODY_BYTES))));
    expect([held(bodies), all.some(({ isLong }) => isLong)]).toEqual([0, false]);
  });

  test('are rejected at once over the total limit, and accepted after another is released', async () => {
    const bodies = new BodyReceiver(4 * MEGABYTE, 8 * MEGABYTE);
    const taken: Body[] = [];
    for (let each = 0; each < 2; each++) taken.push(await bodies.receive(wholeRequest(4 * MEGABYTE)));
    const { code, headers } = await refusalOf(bodies.receive(wholeRequest(MEGABYTE)));
    expect([code, headers['retry-after']]).toEqual(['CAT503', '1']);
    expect(() => taken[0]!.count(1)).toThrow('too many large bodies');
    expect((await bodies.receive(wholeRequest(100))).bytes).toHaveLength(100);
    taken[0]!.release();
    expect((await bodies.receive(wholeRequest(MEGABYTE))).bytes).toHaveLength(MEGABYTE);
    expect(held(bodies)).toBe(5 * MEGABYTE);
  });

  test('that are only announced use none of the limit', async () => {
    const bodies = new BodyReceiver(4 * MEGABYTE, 4 * MEGABYTE);
    const slow = Array.from({ length: 20 }, slowRequest);
    const received = slow.map(({ request }) => bodies.receive(request));
    const body = await bodies.receive(wholeRequest(3 * MEGABYTE));
    body.release();
    for (const each of slow) each.end();
    await Promise.all(received);
    expect(held(bodies)).toBe(0);
  });

  test('that have stalled are rejected to free memory; bodies that still arrive are not', async () => {
    const bodies = new BodyReceiver(4 * MEGABYTE, 4 * MEGABYTE);
    const stalled = slowRequest();
    const lost = refusalOf(bodies.receive(stalled.request));
    stalled.send(2 * MEGABYTE);
    await untilHeld(bodies, 2 * MEGABYTE);
    expect((await refusalOf(bodies.receive(wholeRequest(3 * MEGABYTE)))).code).toBe('CAT503');
    await Bun.sleep(STALLED_BODY_SECONDS * 1000 + 50);
    const body = await bodies.receive(wholeRequest(3 * MEGABYTE));
    expect([(await lost).code, (await lost).message]).toEqual([
      'CAT503',
      'the body came too slowly while others waited',
    ]);
    expect(held(bodies)).toBe(3 * MEGABYTE);
    body.release();
    expect(held(bodies)).toBe(0);
  });

  test('that break off or are too long free their memory', async () => {
    const bodies = new BodyReceiver(MEGABYTE, 8 * MEGABYTE);
    const endless = slowRequest();
    const refused = refusalOf(bodies.receive(endless.request));
    endless.send(600_000);
    await untilHeld(bodies, 600_000);
    endless.send(600_000);
    expect((await refused).code).toBe('CAT413');
    expect(held(bodies)).toBe(0);
  });
});
