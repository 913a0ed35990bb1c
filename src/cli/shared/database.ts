/** Opens the database of a command, and always closes it. Errors become one sentence. */

import { ApiError } from '../../base/errors.ts';
import { suggestName } from '../../base/nearest-name.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { served } from '../../collection/files.ts';
import { loadCatalogue } from '../../declare/load-catalogue.ts';
import type { Engine } from '../../engine/engine.ts';
import { createStep } from '../../engine/migration/words.ts';
import { maintenanceOf, openEngine, startupError } from '../../engine/open.ts';
import type { Creation } from '../../engine/shared/loader.ts';
import type { Maintenance } from '../../engine/shared/maintenance.ts';
import { NO_ROWS } from '../../plan/write/first-rows.ts';
import { ConfigError, type DatabaseSettings } from '../../settings/by-command.ts';

interface CommandDatabase extends DatabaseSettings {
  readonly database: string;
  /** Permissions for a migration, as in `catalogue migrate --allow`. */
  readonly allowed?: readonly string[];
}

type LoadedCatalogue = Awaited<ReturnType<typeof loadCatalogue>>;

/** `loaded` is the declaration, if the command has read it: the engine must know the same collections. */
export async function withDatabase<T>(
  settings: CommandDatabase,
  creation: Creation,
  work: (engine: Engine, catalogue: Catalogue) => Promise<T>,
  { withRows = false, loaded }: { readonly withRows?: boolean; readonly loaded?: LoadedCatalogue } = {},
): Promise<T> {
  const { catalogue, ...begun } = loaded ?? (await loadCatalogue(settings.collections, { withRows }));
  const firstRows = withRows ? begun.firstRows : NO_ROWS;
  const engine = openEngine(settings.database, { ...settings, catalogue, firstRows, creation });
  try {
    await engine.opened;
    return await work(engine, catalogue);
  } catch (error) {
    throw plainError(error, engine.location);
  } finally {
    await engine.close();
  }
}

export async function openMaintenance(settings: CommandDatabase): Promise<Maintenance> {
  return maintenanceOf(settings.database, (await loadCatalogue(settings.collections)).catalogue, settings);
}

/** Whether the collection did not exist before: this reveals a mistyped path. */
export function isNew({ steps = [] }: Engine, collection: Collection): boolean {
  return steps.includes(createStep(collection));
}

/** The collection of a command: the named one, or the only one. */
export function chosenCollection(catalogue: Catalogue, name: string, how: string): Collection {
  const { collections } = served(catalogue);
  const names = [...collections.keys()];
  const [only, ...others] = collections.values();
  if (name === '' && others.length === 0) return only!;
  const collection = collections.get(name);
  if (collection !== undefined) return collection;
  if (name === '') throw new ConfigError(`no collection is given. Choose one with ${how}: ${names.join(', ')}`);
  const advice = suggestName(name, names, `the collections are ${names.join(', ')}`);
  throw new ConfigError(`unknown collection ${name}; ${advice}`);
}

/** An error as a message for a terminal. */
function plainError(error: unknown, location: string): unknown {
  if (error instanceof ConfigError) return error;
  const failure = startupError(error);
  if (failure !== undefined) return new ConfigError(`${location}: ${failure}`);
  if (!(error instanceof ApiError)) return error;
  const { message, details, hint } = error;
  const parts = [message, details, hint].filter((part) => part !== null).map((part) => part.replace(/\.$/, ''));
  return new ConfigError(parts.join('; '));
}
