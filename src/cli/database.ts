/** The database of a command: opened, used, and closed whatever happens. What it refuses is one clear sentence. */
import { BUILT_IN } from '../collection/built-in.ts';
import { products } from '../collection/products.ts';
import { ConfigError, type DatabaseSettings } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { openEngine } from '../engine/open.ts';
import { Refusal } from '../errors.ts';
import { NO_ROWS } from '../plan/first-rows.ts';

interface Demand extends DatabaseSettings {
  readonly database: string;
}

/** `mustExist`: a command that only reads has no use for a new file. */
export async function withDatabase<T>(
  settings: Demand,
  mustExist: boolean,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = openEngine(settings.database, {
    ...settings,
    catalogue: BUILT_IN.catalogue,
    firstRows: NO_ROWS,
    mustExist,
  });
  try {
    await engine.opened;
    return await work(engine);
  } catch (error) {
    throw plainly(error);
  } finally {
    await engine.close();
  }
}

/** Whether opening made the catalogue instead of finding it: a mistyped path is noticed by that. */
export function isNew({ steps = [] }: Engine): boolean {
  return steps.includes(`table ${products.name}`);
}

/** What was refused, for people at a terminal. */
export function plainly(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const { message, details, hint } = error;
  const parts = [message, details, hint].filter((part) => part !== null).map((part) => part.replace(/\.$/, ''));
  return new ConfigError(parts.join('; '));
}
