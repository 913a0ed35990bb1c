/** The file of a declaration: finds it, reads its text and version, and replaces it in one step. */
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileProblem, modeOf, moveIntoPlace, temporaryPath } from '../base/files/output-file.ts';
import { MAX_DECLARATION_BYTES } from '../base/limits/declaration.ts';
import { say } from '../base/sentence.ts';
import { ConfigError } from '../settings/setting.ts';

/** Throws a `ConfigError` if the file cannot be read. */
export function readText(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > MAX_DECLARATION_BYTES) throw new Error(`it is larger than ${MAX_DECLARATION_BYTES} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw new ConfigError(say`the declaration ${file} cannot be read: ${fileProblem(error)}`);
  }
}

/** A hash of the text, for If-Match. */
export function versionOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 32);
}

/** After a kill, the file has the old text or the new one. Throws a `ConfigError` if it cannot be written. */
export function replaceDeclaration(file: string, text: string): void {
  const partial = temporaryPath(file);
  try {
    writeFileSync(partial, text, { flag: 'wx' });
    chmodSync(partial, modeOf(file) ?? 0o644);
    moveIntoPlace(partial, file, true);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new ConfigError(say`${file} cannot be written: ${fileProblem(error)}`);
  }
}

export const USUAL_NAMES = ['collections.yaml', 'collections.yml', 'collections.json'] as const;

/** Returns the path of the declaration: the named one, or a file with a default name. An empty name counts as none. */
export function findDeclaration(named: string): string | undefined {
  if (named !== '') return named;
  const [path, ...others] = USUAL_NAMES.filter((name) => existsSync(name));
  if (others.length === 0) return path;
  throw new ConfigError(
    `${[path, ...others].join(' and ')} exist; keep one of them, or choose one with --collections FILE`,
  );
}
