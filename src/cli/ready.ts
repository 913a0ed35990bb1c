/** A command that works on the data, other than the service, has no use for a database that is not there. */
import { products } from '../collection/products.ts';
import { ConfigError } from '../config.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Engine } from '../engine/engine.ts';
import { Refusal } from '../errors.ts';
import { planRead } from '../plan/read.ts';

const COUNT = planRead(products, EMPTY_QUERY, { offset: 0, limit: 0 }, 'exact');

/** Resolves to the number of products once the engine answers. */
export async function isReady(engine: Engine): Promise<number> {
  try {
    await engine.opened;
    const { total } = await engine.read(COUNT, { format: 'json', stripNulls: false, columns: [] });
    return total ?? 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new ConfigError(`${engine.location}: ${error.details ?? error.message}`);
  }
}
