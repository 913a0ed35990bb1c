/** Work on a server that is done once, by a command: what goes wrong is one clear sentence. */
import type { SQL } from 'bun';
import { ConfigError } from '../../config.ts';
import { openPool, type SessionSettings } from './driver.ts';
import { describe } from './refusals.ts';
import type { Target } from './url.ts';

/** On a connection of its own, for as long as the work takes. */
export async function onServer<T>(
  target: Target,
  settings: SessionSettings,
  work: (pool: SQL) => Promise<T>,
): Promise<T> {
  const pool = openPool(target.servers[0]!, settings, 1);
  try {
    return await work(pool);
  } catch (error) {
    throw error instanceof ConfigError ? error : new ConfigError(`${target.location}: ${describe(error)}`);
  } finally {
    await pool.close({ timeout: 0 });
  }
}
