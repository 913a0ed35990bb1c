/** Reads the database of a command as `catalogue query --json` does, but without a process for each read. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { planOf, read, withDatabase } from '../../../src/cli/shared/database.ts';
import { DATA_SETTINGS } from '../../../src/settings/by-command.ts';
import { readSettings } from '../settings.ts';
import type { Launch } from './process.ts';

/** Returns the rows of a query on the database that a command with these options uses. */
export async function storedRows({ cwd, env = {} }: Launch, query = ''): Promise<Record<string, unknown>[]> {
  const url = env.DATABASE_URL ?? 'sqlite:catalogue.db';
  const declaration = join(cwd, 'collections.yaml');
  const flags = [
    '--database',
    url.startsWith('sqlite:') ? join(cwd, url.slice('sqlite:'.length)) : url,
    ...(existsSync(declaration) ? ['--collections', declaration] : []),
  ];
  return withDatabase(readSettings(DATA_SETTINGS, flags, env), 'never', async (engine, catalogue) => {
    const { parts } = await read(engine, planOf(catalogue, query), 'json');
    return (await new Response(parts as unknown as ReadableStream).json()) as Record<string, unknown>[];
  });
}
