/** The database of a command: opened, used, and closed whatever happens. What it refuses is one clear sentence. */
import type { Catalogue, Collection } from '../collection/declaration.ts';
import { ConfigError, type DatabaseSettings } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { openEngine } from '../engine/open.ts';
import { Refusal } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import { begin } from '../plan/begin.ts';
import { NO_ROWS } from '../plan/first-rows.ts';

interface Demand extends DatabaseSettings {
  readonly database: string;
}

/** `mustExist`: a command that only reads has no use for a new file. */
export async function withDatabase<T>(
  settings: Demand,
  mustExist: boolean,
  work: (engine: Engine, catalogue: Catalogue) => Promise<T>,
): Promise<T> {
  const { catalogue } = await begin(settings.collections);
  const engine = openEngine(settings.database, { ...settings, catalogue, firstRows: NO_ROWS, mustExist });
  try {
    await engine.opened;
    return await work(engine, catalogue);
  } catch (error) {
    throw plainly(error);
  } finally {
    await engine.close();
  }
}

/** Whether opening made the collection instead of finding it: a mistyped path is noticed by that. */
export function isNew({ steps = [] }: Engine, { name }: Collection): boolean {
  return steps.includes(`table ${name}`);
}

/** The collection that a command is about: the one that is named, or the only one. */
export function chosenCollection({ collections }: Catalogue, name: string): Collection {
  const names = [...collections.keys()];
  const [only, ...others] = collections.values();
  if (name === '' && others.length === 0) return only!;
  const found = collections.get(name);
  if (found !== undefined) return found;
  if (name === '') throw new ConfigError(`say which collection: ${names.join(', ')}`);
  const nearest = nearestName(name, names);
  throw new ConfigError(
    `there is no collection ${name}; ${nearest === undefined ? `there is ${names.join(', ')}` : `perhaps you meant ${nearest}`}`,
  );
}

/** What was refused, for people at a terminal. */
export function plainly(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const { message, details, hint } = error;
  const parts = [message, details, hint].filter((part) => part !== null).map((part) => part.replace(/\.$/, ''));
  return new ConfigError(parts.join('; '));
}
