/** Any request gets a success or a clear error, never a server error. A rejected request changes nothing. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Catalogue, ENGINES, openCatalogue, REFERENCE_PRODUCTS } from '../support/engines/catalogue.ts';
import { type AnyRequest, anyRequest } from '../support/generated/any-request.ts';
import { RUNS } from '../support/generated/generators.ts';
import { malformed } from '../support/generated/malformed.ts';
import { expectProblemForm } from '../support/stories.ts';

async function answer(catalogue: Catalogue, { path, ...init }: AnyRequest): Promise<{ status: number; text: string }> {
  const response = await catalogue.fetch(path, init);
  return { status: response.status, text: await response.text() };
}

/** Checks that an error response has a complete error body. */
function expectExplained(method: string, text: string): void {
  if (method === 'HEAD') expect(text).toBe('');
  else expectProblemForm(JSON.parse(text));
}

describe.each(Object.keys(ENGINES))('any request on %s', (engine) => {
  test('malformed requests: each is rejected with a 4xx, and none changes a product', async () => {
    const catalogue = await openCatalogue(engine);
    await fc.assert(
      fc.asyncProperty(malformed, async (request) => {
        const { status, text } = await answer(catalogue, request);
        expect({ text, isRefused: status >= 400 && status < 500 }).toEqual({ text, isRefused: true });
        expectExplained(request.method, text);
        expect(await catalogue.list()).toEqual([...REFERENCE_PRODUCTS]);
      }),
      { numRuns: 100 * RUNS },
    );
    await catalogue.close();
  });

  test('any query, headers and body by any method: 2xx, 304 or 4xx; a rejected request changes nothing', async () => {
    let catalogue = await openCatalogue(engine);
    let before = await catalogue.list();
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const { status, text } = await answer(catalogue, request);
        const isExpected = (status >= 200 && status < 300) || status === 304 || (status >= 400 && status < 500);
        expect({ status, text, isExpected }).toEqual({ status, text, isExpected: true });
        const after = await catalogue.list();
        if (status >= 400) {
          expectExplained(request.method, text);
          expect(after).toEqual(before);
        } else if (!Bun.deepEquals(before, after)) {
          expect(['POST', 'PATCH', 'PUT', 'DELETE']).toContain(request.method);
          await catalogue.close();
          catalogue = await openCatalogue(engine);
        }
        before = await catalogue.list();
      }),
      { numRuns: 100 * RUNS },
    );
    await catalogue.close();
  });
});
