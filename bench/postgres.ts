/**
 * Provides PostgreSQL for the run: the server of BENCH_DATABASE_URL or TEST_DATABASE_URL, or the one from npm with
 * default settings. The tables are in a separate schema, which is dropped at the end.
 */
import { SQL } from 'bun';
import { newServer, pidIn } from '../test/support/engines/postgres-server.ts';
import { letUseAllCores } from './cores.ts';

export interface BenchPostgres {
  readonly url: string;
  readonly schema: string;
  /** The process of the server, if it is the one from npm. */
  readonly postmaster: number | undefined;
  readonly close: () => Promise<void>;
}

export async function openPostgres(schema = `bench_${process.pid}`): Promise<BenchPostgres> {
  const given = process.env.BENCH_DATABASE_URL ?? process.env.TEST_DATABASE_URL;
  const own = given === undefined ? await newServer() : undefined;
  const postmaster = own && (await pidIn(own.dataFolder));
  if (postmaster !== undefined) letUseAllCores(postmaster);
  const url = given ?? own!.url;
  const close = async () => {
    const admin = new SQL(url, { max: 1 });
    await admin.unsafe(`drop schema if exists ${schema} cascade`);
    await admin.close();
    await own?.stop();
  };
  return { url, schema, postmaster, close };
}
