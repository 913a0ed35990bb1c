/** Measures a service with the same declaration on SQLite and on PostgreSQL. */
import { SQL } from 'bun';
import { newServer, pidIn } from '../test/support/engines/postgres-server.ts';
import { withFixtures } from './fixtures.ts';
import { machine } from './machine.ts';
import { type Server, startService } from './servers.ts';

/** `analyze` collects PostgreSQL's statistics, as autovacuum does within a minute. */
export type Measure = (
  engine: string,
  server: Server,
  analyze: () => Promise<unknown>,
  postmaster?: number,
) => Promise<void>;

export async function measureBothEngines(yaml: string, measure: Measure): Promise<void> {
  console.log(await machine());
  await withFixtures(async (fixtures) => {
    const file = fixtures.path('collections.yaml');
    await Bun.write(file, yaml);
    const flags = ['--collections', file, '--max-body-mb', '64'];
    await measure('SQLite', await startService(fixtures.path('catalogue.db'), { flags }), async () => {});
    const postgres = await newServer();
    fixtures.atEnd(postgres.stop);
    const sql = new SQL(postgres.url, { max: 1 });
    const server = await startService(postgres.url, { flags });
    await measure('PostgreSQL', server, () => sql.unsafe('analyze'), await pidIn(postgres.dataFolder));
    await sql.close();
  });
}
