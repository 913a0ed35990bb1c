/**
 * A call of a stored query gives the rows of the request that it stands for, with the argument as a literal value. Both
 * engines give the same answers.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import type { QueryDraft } from '../../src/collection/draft.ts';
import { products } from '../../src/collection/products.ts';
import { type Catalogue, REFERENCE_PRODUCTS, TWO_ENGINES } from '../support/engines/catalogue.ts';
import { openDeclared } from '../support/engines/shop.ts';
import { readRequest } from '../support/generated/dialect-requests.ts';
import { RUNS } from '../support/generated/generators.ts';
import { sendJson } from '../support/stories.ts';

const OPERATORS = ['eq', 'neq', 'lt', 'gte', 'isdistinct', 'not.gt'];

interface Case extends QueryDraft {
  readonly field: string;
  readonly operator: string;
}

const QUERIES: readonly Case[] = products.fields.flatMap(({ name: field, type }) =>
  OPERATORS.map((operator): Case => {
    const parameters = [{ name: 'value', type: type.name }];
    const name = `${field}_${operator.replace('.', '_')}`;
    return { name, field, operator, parameters, read: `products?${field}=${operator}.{value}&order=product_name` };
  }),
);
const CATALOGUE = declareCatalogue({
  collections: [products.draft],
  queries: QUERIES.map(({ field: _, operator: __, ...query }) => query),
});

let catalogues: readonly Catalogue[];
beforeAll(async () => {
  const rows = { products: REFERENCE_PRODUCTS };
  catalogues = await Promise.all(TWO_ENGINES.map((engine) => openDeclared(engine, CATALOGUE, rows)));
});
afterAll(() => Promise.all(catalogues.map((each) => each.close())));

/** `value` is null, a value of a row, or of no row. The refinement is a generated query string. */
const call = fc
  .tuple(
    fc.constantFrom(...QUERIES),
    fc.constantFrom(...REFERENCE_PRODUCTS),
    fc.constantFrom('row', 'row', 'null', 'odd'),
    readRequest,
  )
  .map(([query, row, kind, { path, headers }]) => {
    const type = products.byName.get(query.field)!.type;
    const odd = type.name === 'text' ? 'x,y)&id=eq.1' : 3;
    const value = kind === 'row' ? row[query.field]! : kind === 'odd' ? odd : null;
    return { query, value, refinement: path.slice('/products?'.length), headers };
  });

async function answer(response: Response) {
  const text = await response.text();
  const body = response.status < 400 ? text : (JSON.parse(text) as { code: string }).code;
  return { status: response.status, range: response.headers.get('content-range'), body };
}

test(`${50 * RUNS} calls answer like the request with a literal value, on both engines`, async () => {
  await fc.assert(
    fc.asyncProperty(call, async ({ query: { name, field, operator }, value, refinement, headers }) => {
      const argument = value === null ? [] : [encodeURIComponent(String(value))];
      const refined = /(^|&)order=/.test(refinement) ? refinement : `order=id&${refinement}`;
      const ask = async ({ fetch }: Catalogue) => [
        await answer(await fetch(`/rpc/${name}?${refined}`, sendJson('POST', { value }, headers))),
        ...(await Promise.all(
          argument.flatMap((text) => [
            fetch(`/rpc/${name}?value=${text}&${refined}`, { headers }).then(answer),
            fetch(`/products?${field}=${operator}.${text}&${refined}`, { headers }).then(answer),
          ]),
        )),
      ];
      const [one, other] = await Promise.all(catalogues.map(ask));
      expect(other).toEqual(one!);
      const [, called, literal] = one!;
      // By GET, a value that is not a filter is an argument.
      if (literal?.body !== 'PGRST100') expect(called).toEqual(literal!);
    }),
    { numRuns: 50 * RUNS },
  );
});
