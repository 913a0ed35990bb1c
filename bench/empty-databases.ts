/** Empty databases of both engines. */
import type { Fixtures } from './fixtures.ts';
import { openPostgres } from './postgres.ts';

/** An empty database: the value of --database, and further flags. */
export interface EmptyDatabase {
  readonly database: string;
  readonly flags: readonly string[];
  /** The process of the server whose children work for the service. */
  readonly postmaster?: number | undefined;
}

export const ENGINES: Readonly<Record<string, (fixtures: Fixtures, name: string) => Promise<EmptyDatabase>>> = {
  SQLite: async (fixtures, name) => ({ database: fixtures.path(`${name}.db`), flags: [] }),
  PostgreSQL: async (fixtures, name) => {
    const { url, schema, postmaster, close } = await openPostgres(`bench_${process.pid}_${name}`);
    fixtures.atEnd(close);
    return { database: url, flags: ['--schema', schema], postmaster };
  },
};
