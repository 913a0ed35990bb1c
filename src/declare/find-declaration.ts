/** Finds the declaration: the named file, the one in the working directory, or none. */
import { existsSync } from 'node:fs';
import type { CatalogueDraft } from '../collection/draft.ts';
import { ConfigError } from '../settings/setting.ts';

export const USUAL_NAMES = ['collections.yaml', 'collections.yml', 'collections.json'] as const;

/** Undefined without a declaration: the built-in catalogue is used. */
export async function loadDeclaration(named: string): Promise<CatalogueDraft | undefined> {
  const file = findDeclaration(named);
  if (file === undefined) return undefined;
  // Loaded lazily, so that a service without a declaration starts faster.
  const { readDeclaration } = await import('./read.ts');
  return readDeclaration(file);
}

/** Returns the path of the declaration: the named one, or a file with a default name. An empty name counts as none. */
export function findDeclaration(named: string): string | undefined {
  if (named !== '') return named;
  const [path, ...others] = USUAL_NAMES.filter((name) => existsSync(name));
  if (others.length === 0) return path;
  throw new ConfigError(
    `${[path, ...others].join(' and ')} exist; keep one of them, or choose one with --collections FILE`,
  );
}
