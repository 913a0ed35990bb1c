/**
 * Generated requests get the same status, headers and body from all engines. Each intentional difference has a name
 * here and a line in docs/explanation/sqlite-or-postgresql.md.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Catalogue, ENGINES, openCatalogue } from '../support/engines/catalogue.ts';
import { type DialectRequest, ODD_PRODUCTS, readRequest, writeRequest } from '../support/generated/dialect-requests.ts';
import { RUNS } from '../support/generated/generators.ts';

interface Difference {
  readonly name: string;
  readonly concerns: (request: DialectRequest) => boolean;
}

/** The known differences and the affected requests, which are not compared. */
const KNOWN_DIFFERENCES: readonly Difference[] = [
  {
    // Sequences are not rolled back, so that two instances can assign ids without waiting for each other.
    name: 'ids after an insert that was refused, ignored or rolled back',
    concerns: ({ method, headers }) =>
      method === 'POST' && /tx=rollback|max-affected|ignore/.test(headers.prefer ?? ''),
  },
];

const known = (request: DialectRequest) => KNOWN_DIFFERENCES.some(({ concerns }) => concerns(request));

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

async function ask(catalogue: Catalogue, { method, path, headers, body }: DialectRequest): Promise<Answer> {
  const response = await catalogue.fetch(path, { method, headers, body });
  const text = await response.text();
  // For an error only the code is part of the contract. PostgreSQL words some messages differently, which changes the
  // length in HEAD.
  const isError = response.status >= 400;
  const ignored = isError ? ['date', 'content-length'] : ['date'];
  const kept = Object.fromEntries([...response.headers].filter(([name]) => !ignored.includes(name)));
  const told = isError && text !== '' ? (JSON.parse(text) as { code: string }).code : text;
  return { status: response.status, headers: kept, body: told };
}

async function answers(catalogues: readonly Catalogue[], request: DialectRequest): Promise<readonly Answer[]> {
  return Promise.all(catalogues.map((catalogue) => ask(catalogue, request)));
}

async function openAll(): Promise<Catalogue[]> {
  const catalogues = await Promise.all(Object.keys(ENGINES).map((engine) => openCatalogue(engine)));
  const headers = { 'content-type': 'application/json' };
  for (const catalogue of catalogues) {
    const stored = await catalogue.fetch('/products', { method: 'POST', headers, body: JSON.stringify(ODD_PRODUCTS) });
    expect(stored.status).toBe(201);
  }
  return catalogues;
}

function expectAgreement([one, ...others]: readonly Answer[]): void {
  for (const other of others) expect(other).toEqual(one!);
}

describe('all engines agree on', () => {
  let catalogues: Catalogue[] = [];
  beforeAll(async () => {
    catalogues = await openAll();
  });
  afterAll(() => Promise.all(catalogues.map((catalogue) => catalogue.close())));

  test('reads', () =>
    fc.assert(
      fc.asyncProperty(readRequest, async (request) => {
        fc.pre(!known(request));
        expectAgreement(await answers(catalogues, request));
      }),
      { numRuns: 70 * RUNS },
    ));

  test('a sequence of writes and the resulting rows', () =>
    fc.assert(
      fc.asyncProperty(fc.array(writeRequest, { minLength: 1, maxLength: 4 }), async (requests) => {
        fc.pre(!requests.some(known));
        const all = await openAll();
        try {
          for (const request of requests) {
            const given = await answers(all, request);
            expectAgreement(given);
            if (request.method === 'POST' && given[0]!.status >= 400) return;
            const [rows, ...otherRows] = await Promise.all(all.map((catalogue) => catalogue.list()));
            for (const other of otherRows) expect(other).toEqual(rows!);
          }
        } finally {
          await Promise.all(all.map((catalogue) => catalogue.close()));
        }
      }),
      { numRuns: 12 * RUNS },
    ));
});
