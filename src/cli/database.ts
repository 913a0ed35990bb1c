/** The database of a command: opened, used, and closed whatever happens. What it refuses is one clear sentence. */
import type { Catalogue, Collection } from '../collection/declaration.ts';
import { ConfigError, type DatabaseSettings } from '../config.ts';
import { begin } from '../declare/begin.ts';
import type { Engine } from '../engine/engine.ts';
import { failureOf } from '../engine/failures.ts';
import type { Creation } from '../engine/load.ts';
import { openEngine } from '../engine/open.ts';
import { Refusal } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import { NO_ROWS } from '../plan/first-rows.ts';

interface Demand extends DatabaseSettings {
  readonly database: string;
  /** What a migration may do on purpose, as `catalogue migrate --allow` takes it. */
  readonly allowed?: readonly string[];
}

export async function withDatabase<T>(
  settings: Demand,
  creation: Creation,
  work: (engine: Engine, catalogue: Catalogue) => Promise<T>,
  { withRows = false } = {},
): Promise<T> {
  const { catalogue, ...begun } = await begin(settings.collections, { withRows });
  const firstRows = withRows ? begun.firstRows : NO_ROWS;
  const engine = openEngine(settings.database, { ...settings, catalogue, firstRows, creation });
  try {
    await engine.opened;
    return await work(engine, catalogue);
  } catch (error) {
    throw plainly(error, engine.location);
  } finally {
    await engine.close();
  }
}

/** Whether the collection is not there yet, or opening has made it: a mistyped path is noticed by that. */
export function isNew({ steps = [] }: Engine, { name }: Collection): boolean {
  return steps.includes(`table ${name}`);
}

/** The collection that a command is about: the one that is named, or the only one. */
export function chosenCollection({ collections }: Catalogue, name: string, how: string): Collection {
  const names = [...collections.keys()];
  const [only, ...others] = collections.values();
  if (name === '' && others.length === 0) return only!;
  const found = collections.get(name);
  if (found !== undefined) return found;
  if (name === '') throw new ConfigError(`say which collection with ${how}: ${names.join(', ')}`);
  const nearest = nearestName(name, names);
  throw new ConfigError(
    `there is no collection ${name}; ${nearest === undefined ? `there is ${names.join(', ')}` : `perhaps you meant ${nearest}`}`,
  );
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
