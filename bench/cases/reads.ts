/**
 * The three reads, with a different URL for each request so that no cache applies, and sample paths to compare
 * responses.
 */
import { get } from '../load.ts';

export const READS = {
  byId: {
    name: 'GET by id',
    script: get('"/products/"..(n % 77 + 1).."?limit="..n'),
    samples: ['/products/1?limit=1', '/products/77?limit=2'],
  },
  filterPage: {
    name: 'filter page',
    script: get('"/products?category_id=eq."..(n % 8 + 1).."&limit="..(13 + n)'),
    samples: ['/products?category_id=eq.1&limit=13', '/products?category_id=eq.8&limit=14'],
  },
  list: {
    name: 'list of 77',
    script: get('"/products?offset=0&limit="..(100 + n)'),
    samples: ['/products?offset=0&limit=100'],
  },
} as const;
