/** json-server: a JSON file in memory, behind Express. It runs on Node, its intended runtime. */
import { join } from 'node:path';
import referenceProducts from '../../src/collection/reference-products.json' with { type: 'json' };
import { NEW_PRODUCT } from '../cases/small.ts';
import { get } from '../load.ts';
import { launch } from '../servers.ts';
import type { Peer } from './peer.ts';

const PROGRAM = new URL('node_modules/json-server/lib/cli/bin.js', import.meta.url).pathname;

export const jsonServer: Peer = {
  name: 'json-server',
  async start(folder) {
    const file = join(folder, 'db.json');
    await Bun.write(file, JSON.stringify({ products: referenceProducts }));
    return launch({
      command: (port) => ['node', PROGRAM, '--quiet', '--host', '127.0.0.1', '--port', String(port), file],
      probe: '/products/1',
      cwd: folder,
    });
  },
  reads: {
    byId: { script: get('"/products/"..(n % 77 + 1).."?n="..n'), sample: '/products/1' },
    filterPage: {
      script: get('"/products?category_id="..(n % 8 + 1).."&_limit="..(13 + n)'),
      sample: '/products?category_id=1&_limit=13',
    },
    list: { script: get('"/products?_start=0&_limit="..(100 + n)'), sample: '/products?_start=0&_limit=100' },
  },
  post: { path: '/products', script: NEW_PRODUCT },
};
