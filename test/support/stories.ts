/** Shared helpers of the tests: catalogues, requests, and checks of error responses. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import type { ApiError } from '../../src/base/errors.ts';
import type { Row } from '../../src/collection/value.ts';
import { type Catalogue, type CatalogueSettings, openCatalogue, REFERENCE_PRODUCTS } from './engines/catalogue.ts';

/** Gives every test its own catalogue with the 77 products. */
export function ownCatalogue(engine: string, settings?: CatalogueSettings): Catalogue {
  let catalogue: Catalogue;
  beforeEach(async () => {
    catalogue = await openCatalogue(engine, settings);
  });
  afterEach(() => catalogue.close());
  return forwardTo(() => catalogue);
}

/** Gives all tests one catalogue with the 77 products, which none of them changes. */
export function sharedCatalogue(engine: string, settings?: CatalogueSettings): Catalogue {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openCatalogue(engine, settings);
  });
  afterAll(async () => {
    await expectUntouched(catalogue);
    await catalogue.close();
  });
  return forwardTo(() => catalogue);
}

function forwardTo(current: () => Catalogue): Catalogue {
  return {
    fetch: (path, init) => current().fetch(path, init),
    list: (path) => current().list(path),
    close: () => current().close(),
  };
}

/** All ten fields, as in a create request. */
export const TEN_FIELDS = {
  id: 1001,
  product_name: 'Sea Buckthorn Jam',
  discontinued: 0,
  supplier_id: 12,
  category_id: 2,
  quantity_per_unit: '6 jars, 250 g each',
  unit_price: 7.35,
  units_in_stock: 41,
  units_on_order: 12,
  reorder_level: 5,
} as const satisfies Row;

type Headers = Readonly<Record<string, string>>;

export function sendJson(method: string, body: unknown, headers: Headers = {}): RequestInit {
  return { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
}

export function send(
  method: string,
  contentType: string,
  body: NonNullable<RequestInit['body']>,
  headers: Headers = {},
): RequestInit {
  return { method, body, headers: { 'content-type': contentType, ...headers } };
}

/** The body of an error. */
export interface ProblemBody {
  readonly code: string;
  readonly message: string;
  readonly details: string | null | ApiError['candidates'];
  readonly hint: string | null;
  readonly index?: number;
  readonly field?: string;
  readonly value?: unknown;
  readonly total?: number;
  readonly errors?: readonly ProblemBody[];
  readonly request?: number;
}

/** Checks the status, code and form of an error response, and returns its body. */
export async function expectRefusal(response: Response, status: number, code: string): Promise<ProblemBody> {
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text: expect.stringContaining(`"code":"${code}"`) });
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const problem = JSON.parse(text) as ProblemBody;
  expectProblemForm(problem);
  expect(problem.code).toBe(code);
  expect(problem.message.length).toBeGreaterThan(0);
  return problem;
}

/** Every error has these members, and may have a location in the body, a list of errors, or sentences. */
export function expectProblemForm(problem: object): void {
  const names = Object.keys(problem).filter(
    (name) => !['index', 'field', 'value', 'errors', 'sentences'].includes(name),
  );
  expect(names.sort()).toEqual(['code', 'details', 'hint', 'message']);
}

export async function expectUntouched(catalogue: Catalogue): Promise<void> {
  expect(await catalogue.list()).toEqual([...REFERENCE_PRODUCTS]);
}

export function reference(id: number): Row {
  return REFERENCE_PRODUCTS.find((product) => product.id === id)!;
}

export const ids = (rows: readonly Row[]): number[] => rows.map(({ id }) => id as number);
