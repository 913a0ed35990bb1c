/** The declaration of a catalogue: the file that is named, or the one in the working folder, or none. */
import { existsSync } from 'node:fs';
import type { CatalogueDraft } from '../collection/draft.ts';
import { ConfigError } from '../settings/setting.ts';

export const USUAL_NAMES = ['collections.yaml', 'collections.yml', 'collections.json'] as const;

/** Undefined where there is none: the catalogue is the built-in one. */
export async function loadDeclaration(named: string): Promise<CatalogueDraft | undefined> {
  const file = findDeclaration(named);
  if (file === undefined) return undefined;
  // What reads it is loaded only then: a service without a declaration starts sooner.
  const { readDeclaration } = await import('./read.ts');
  return readDeclaration(file);
}

/** Undefined where none is named (an empty name is none) and none is here. */
export function findDeclaration(named: string): string | undefined {
  if (named !== '') return named;
  const [found, ...others] = USUAL_NAMES.filter((name) => existsSync(name));
  if (others.length === 0) return found;
  throw new ConfigError(
    `there is ${[found, ...others].join(' and ')}; keep one of them, or name one with --collections FILE`,
  );
}
