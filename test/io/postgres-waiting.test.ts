/** Reads that wait for a connection or a lock: the service does not mistake them for silent connections. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { newServer, type OwnServer } from '../support/postgres.ts';
import { cleanUp, type Service, startService, temporaryFolder } from '../support/process.ts';

const PATIENCE_MS = 60_000;
const LOCKED_MS = 9_000;

describe('while another program locks a table', () => {
  let server: OwnServer;
  let service: Service;
  beforeAll(async () => {
    server = await newServer();
    service = await startService({
      args: ['--query-timeout', '3'],
      cwd: temporaryFolder(),
      env: { DATABASE_URL: server.url },
    });
  }, PATIENCE_MS);
  afterAll(async () => {
    await cleanUp();
    await server.stop();
  }, PATIENCE_MS);

  test(
    'each of many reads gets its time limit or its row, and the service keeps its connections',
    async () => {
      expect((await service.fetch('/products/1')).status).toBe(200);
      const admin = new SQL(server.url, { max: 1 });
      const { reads } = await admin.begin(async (transaction) => {
        await transaction.unsafe('lock table products in access exclusive mode');
        const reads = Array.from({ length: 60 }, async (_, id) => (await service.fetch(`/products/${id + 1}`)).status);
        await Bun.sleep(LOCKED_MS);
        return { reads };
      });
      expect(new Set(await Promise.all(reads))).toEqual(new Set([200, 504]));
      expect(service.stderr()).not.toContain('replaces all connections');
      await admin.close();
    },
    PATIENCE_MS,
  );
});
