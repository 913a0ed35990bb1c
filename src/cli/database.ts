/** The database of a command: opened, used, and closed whatever happens. What it refuses is one clear sentence. */
import { products } from '../collection/products.ts';
import type { Row } from '../collection/value.ts';
import { ConfigError, type DatabaseSettings } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { failureOf } from '../engine/failures.ts';
import type { Creation } from '../engine/load.ts';
import { openEngine } from '../engine/open.ts';
import { Refusal } from '../errors.ts';

interface Demand extends DatabaseSettings {
  readonly database: string;
}

export async function withDatabase<T>(
  settings: Demand,
  creation: Creation,
  work: (engine: Engine) => Promise<T>,
  firstRows: readonly Row[] = [],
): Promise<T> {
  const engine = openEngine(settings.database, { ...settings, collection: products, firstRows, creation });
  try {
    await engine.opened;
    return await work(engine);
  } catch (error) {
    throw plainly(error, engine.location);
  } finally {
    await engine.close();
  }
}

/** Whether the catalogue is not there yet, or opening has made it: a mistyped path is noticed by that. */
export function isNew({ steps = [] }: Engine): boolean {
  return steps.includes(`table ${products.name}`);
}

/** What was refused or failed, for people at a terminal. */
export function plainly(error: unknown, location: string): unknown {
  if (error instanceof ConfigError) return error;
  const failure = failureOf(error);
  if (failure !== undefined) return new ConfigError(`${location}: ${failure}`);
  if (!(error instanceof Refusal)) return error;
  const { message, details, hint } = error;
  const parts = [message, details, hint].filter((part) => part !== null).map((part) => part.replace(/\.$/, ''));
  return new ConfigError(parts.join('; '));
}
