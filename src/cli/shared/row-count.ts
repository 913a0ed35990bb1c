/** A command, unlike the service, fails if the database is not available. */

import { ApiError } from '../../base/errors.ts';
import type { Collection } from '../../collection/declaration.ts';
import { EMPTY_QUERY } from '../../dialect/query.ts';
import type { Engine } from '../../engine/engine.ts';
import { planRead } from '../../plan/read/read.ts';
import { ConfigError } from '../../settings/by-command.ts';

/** Resolves to the number of rows once the engine answers. */
export async function rowCount(engine: Engine, collection: Collection): Promise<number> {
  const plan = planRead(collection, EMPTY_QUERY, { offset: 0, limit: 0 }, 'exact');
  try {
    await engine.opened;
    const { total } = await engine.read(plan, { format: 'json', stripNulls: false, columns: [] });
    return total ?? 0;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ConfigError(`${engine.location}: ${error.details ?? error.message}`);
  }
}
