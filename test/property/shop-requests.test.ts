/** Concurrent random requests to the shop: none causes a server error, and none affects a concurrent write. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Catalogue, ENGINES } from '../support/engines/catalogue.ts';
import { openShop } from '../support/engines/shop.ts';
import type { AnyRequest } from '../support/generated/any-request.ts';
import { RUNS } from '../support/generated/generators.ts';
import { chooseShopRequest } from '../support/generated/shop-requests.ts';

const REQUESTS = 100 * RUNS;
const AT_ONCE = 10;
/** The test opens a new shop with its initial rows after this many batches. */
const BATCHES_OF_A_SHOP = 50;

/** A valid write that runs concurrently with the random requests. */
const BESIDE: AnyRequest = {
  method: 'POST',
  path: '/suppliers',
  headers: { 'content-type': 'application/json' },
  body: '{"company_name":"Beside"}',
};

describe.each(Object.keys(ENGINES))('any requests to the shop on %s', (engine) => {
  test(`${REQUESTS} requests, ${AT_ONCE} at a time with a concurrent writer, cause no server error`, async () => {
    let shop: Catalogue | undefined;
    let batches = 0;
    const batch = async (generate: fc.GeneratorValue) => {
      if (batches++ % BATCHES_OF_A_SHOP === 0) {
        await shop?.close();
        shop = await openShop(engine);
      }
      const { fetch } = shop!;
      const ask = async ({ path, ...init }: AnyRequest) => {
        const response = await fetch(path, init);
        return { path, ...init, status: response.status, text: await response.text() };
      };
      const requests = [...Array.from({ length: AT_ONCE }, () => chooseShopRequest(generate)), BESIDE];
      const answers = await Promise.all(requests.map(ask));
      // A busy machine may time out on concurrent requests. Sent alone, each must get a response.
      for (const [index, { status }] of answers.entries()) {
        if (status === 503 || status === 504) answers[index] = await ask(requests[index]!);
      }
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect({ answers, beside: answers.at(-1)!.status }).toEqual({ answers, beside: 201 });
    };
    try {
      const numRuns = Math.ceil(REQUESTS / AT_ONCE);
      await fc.assert(fc.asyncProperty(fc.gen(), batch), { numRuns, endOnFailure: true });
    } finally {
      await shop?.close();
    }
  });
});
