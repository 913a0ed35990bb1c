/** The real program with the shop catalogue, for client tests: on a file and on PostgreSQL. */

import { newSchema, testServer } from '../engines/postgres.ts';
import { SHOP } from './declarations.ts';
import { type Service, startService, temporaryFolder } from './process.ts';

export const SHOP_ENGINES = ['SQLite', 'PostgreSQL'] as const;

export type ShopEngine = (typeof SHOP_ENGINES)[number];

export function startShop(engine: ShopEngine): Promise<Service> {
  const args = ['--log-level', 'error', '--collections', SHOP];
  const cwd = temporaryFolder();
  if (engine === 'SQLite') return startService({ cwd, args });
  return startService({ cwd, args: [...args, '--schema', newSchema()], env: { DATABASE_URL: testServer.url } });
}
