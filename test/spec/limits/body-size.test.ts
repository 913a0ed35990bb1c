/** The size limit of request bodies, with Content-Length or streamed. */
import { describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal, expectUntouched, ownCatalogue, send } from '../../support/stories.ts';

describe.each(TWO_ENGINES)('the size of a body on %s', (engine) => {
  const limit = 2_000;
  const catalogue = ownCatalogue(engine, { maxBodyBytes: limit });
  const ofSize = (size: number) => {
    const empty = JSON.stringify({ product_name: '' }).length;
    return JSON.stringify({ product_name: 'x'.repeat(size - empty) });
  };
  const streamed = (text: string) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < text.length; at += 100)
          controller.enqueue(new TextEncoder().encode(text.slice(at, at + 100)));
        controller.close();
      },
    });

  test('a body up to the limit is read, with Content-Length or streamed', async () => {
    const announced = send('POST', 'application/json', ofSize(limit), { 'content-length': String(limit) });
    expect((await catalogue.fetch('/products', announced)).status).toBe(201);
    expect((await catalogue.fetch('/products', send('POST', 'application/json', streamed(ofSize(limit))))).status).toBe(
      201,
    );
  });

  test('a body one byte over the limit is rejected with 413, with Content-Length or streamed', async () => {
    const announced = send('POST', 'application/json', ofSize(limit + 1), { 'content-length': String(limit + 1) });
    const { message } = await expectRefusal(await catalogue.fetch('/products', announced), 413, 'CAT413');
    expect(message).toContain(String(limit));
    const stream = send('POST', 'application/json', streamed(ofSize(limit + 1)));
    await expectRefusal(await catalogue.fetch('/products', stream), 413, 'CAT413');
    await expectUntouched(catalogue);
  });

  test('an endless stream is not read to its end', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(500).fill(32)),
    });
    await expectRefusal(await catalogue.fetch('/products', send('POST', 'application/json', endless)), 413, 'CAT413');
  });
});
