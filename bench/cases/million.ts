/** A million products compared with 77: requests that use an index must not slow down with the table size. */
import { alternate } from '../alternate.ts';
import type { Case } from '../case.ts';
import { getAnew, type Load } from '../load.ts';

interface SameRequest {
  readonly name: string;
  readonly small: Load;
  readonly large: Load;
}

function both(name: string, path: string): SameRequest {
  const load = { script: getAnew(path) };
  return { name, small: load, large: load };
}

/** Pages with the same number of rows in both. Every category of the 77 has at least five products. */
const REQUESTS: readonly SameRequest[] = [
  {
    name: 'GET by id',
    small: { script: getAnew('"/products/"..(n % 77 + 1)') },
    large: { script: getAnew('"/products/"..(n * 7919 % 1000000 + 1)') },
  },
  both('indexed filter page', '"/products?category_id=eq."..(n % 8 + 1).."&limit=5"'),
  both('order=unit_price.desc&limit=20', '"/products?order=unit_price.desc&limit=20"'),
  {
    name: 'keyset next page at row 900,000',
    small: { script: getAnew('"/products?limit=20&after=(id.gt."..(n % 50)..")"') },
    large: { script: getAnew('"/products?limit=20&after=(id.gt."..(900000 + n % 50000)..")"') },
  },
];

export const millionCases: readonly Case[] = REQUESTS.map(({ name, small, large }) => ({
  name: `a million: ${name}, beside 77 products`,
  async run(fixtures, pace) {
    return alternate(
      {
        name: this.name,
        goal: { kind: 'share', atLeast: 0.7 },
        baseline: { server: await fixtures.service(), load: small },
        service: { server: await fixtures.serviceOnMillion(), load: large },
      },
      pace,
    );
  },
}));
