/** A declared catalogue: rows of 21 fields, three of them json or arrays, and embedded rows. */
import { alternate, besideBare } from '../alternate.ts';
import type { Case } from '../case.ts';
import { get, getAnew } from '../load.ts';

interface Read {
  readonly name: string;
  /** A Lua expression of `n`, different for each request. */
  readonly path: string;
  readonly samples: readonly string[];
}

const BOTH = 'select=id,product_name,categories(category_name),suppliers(company_name,country)';
const THREE = `${BOTH},prices(currency,amount)`;
const PRODUCTS = 'select=id,category_name,products(id,product_name,unit_price)';

const READS: readonly Read[] = [
  {
    name: 'declared: GET by id',
    path: '"/products/"..(n % 77 + 1).."?limit="..n',
    samples: ['/products/1?limit=1', '/products/77?limit=1'],
  },
  {
    name: 'declared: filter page',
    path: '"/products?category_id=eq."..(n % 8 + 1).."&limit="..(13 + n)',
    samples: ['/products?category_id=eq.1&limit=13'],
  },
  {
    name: 'declared: list of 77',
    path: '"/products?offset=0&limit="..(100 + n)',
    samples: ['/products?offset=0&limit=100'],
  },
  {
    name: 'embedding: 77 products with category and supplier',
    path: `"/products?${BOTH}&limit="..(100 + n)`,
    samples: [`/products?${BOTH}&limit=100`],
  },
  {
    name: 'embedding: 8 categories with their products',
    path: `"/categories?${PRODUCTS}&limit="..(100 + n)`,
    samples: [`/categories?${PRODUCTS}&limit=100`],
  },
  {
    name: 'embedding: GET by id with three of them',
    path: `"/products/"..(n % 77 + 1).."?${THREE}&limit="..n`,
    samples: [`/products/1?${THREE}&limit=1`, `/products/77?${THREE}&limit=1`],
  },
];

const overTheShop: readonly Case[] = READS.map(({ name, path, samples }) => ({
  name,
  async run(fixtures, pace) {
    const servers = [await fixtures.bareShop(), await fixtures.shop()] as const;
    return besideBare({ name: this.name, servers, script: get(path), samples }, pace);
  },
}));

const besideSmall: Case = {
  name: 'a million in 10,000 categories: page of 20 with three embeddings, beside 77 products',
  async run(fixtures, pace) {
    const page = (from: string) => ({ script: getAnew(`"/products?${THREE}&limit=20&id=gt."..(${from})`) });
    return alternate(
      {
        name: this.name,
        goal: { kind: 'share', atLeast: 0.5 },
        baseline: { server: await fixtures.shop(), load: page('n % 50') },
        service: { server: await fixtures.shopOfMillion(), load: page('n * 7919 % 900000') },
      },
      pace,
    );
  },
};

export const shopCases: readonly Case[] = [...overTheShop, besideSmall];
