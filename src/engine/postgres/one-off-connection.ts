/** One-off work of a command on a server, with errors as one clear sentence. */
import type { SQL } from 'bun';
import { ConfigError } from '../../settings/by-command.ts';
import { openPool, type SessionSettings } from './driver.ts';
import { describe, isInternal } from './errors.ts';
import { nameUnknownHost, type Target } from './url.ts';

export async function withOneConnection<T>(
  target: Target,
  settings: SessionSettings,
  work: (pool: SQL) => Promise<T>,
): Promise<T> {
  const server = target.servers[0]!;
  const pool = openPool(server, settings, 1);
  try {
    return await work(pool);
  } catch (error) {
    if (error instanceof ConfigError || isInternal(error)) throw error;
    throw new ConfigError(`${target.location}: ${describe(await nameUnknownHost(error, server))}`);
  } finally {
    await pool.close({ timeout: 0 });
  }
}
