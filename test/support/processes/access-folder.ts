/** Folders with a declaration that has roles, for tests of the real program. */
import { join } from 'node:path';
import { newSchema, testServer } from '../engines/postgres.ts';
import { type Launch, temporaryFolder } from './process.ts';

const DECLARATION = `collections:
  products:
    fields:
      id: int4
      product_name: { type: text, required: true, role: title }
      unit_price: 'decimal(12,4)'
      supplier_id: int4
    rows: products.json
roles:
  viewer:
    products: { read: { fields: [id, product_name] } }
  supplier:
    products: { read: true, update: { where: 'supplier_id=eq.{claims.supplier_id}', fields: [unit_price] } }
  editor:
    products: { read: true, create: true, update: true, delete: true }
`;

const OPEN = `${DECLARATION}  anonymous:
    include: [viewer]
`;

const ROWS = [
  { id: 1, product_name: 'Chai', unit_price: 18, supplier_id: 1 },
  { id: 2, product_name: 'Chang', unit_price: 19, supplier_id: 2 },
];

export async function folderWithRoles({ isOpen = false } = {}): Promise<string> {
  const folder = temporaryFolder();
  await Bun.write(join(folder, 'collections.yaml'), isOpen ? OPEN : DECLARATION);
  await Bun.write(join(folder, 'products.json'), JSON.stringify(ROWS));
  return folder;
}

/** The launch options of a service or a command for each kind of database. */
export const PLACES: Readonly<Record<string, () => Promise<Launch>>> = {
  'an SQLite file': async () => ({ cwd: await folderWithRoles() }),
  PostgreSQL: async () => ({
    cwd: await folderWithRoles(),
    env: { DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() },
  }),
};
