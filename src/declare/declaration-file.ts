/** The text of a declaration file: its content, its version, and its replacement in one step. */
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileProblem, modeOf, moveIntoPlace, temporaryPath } from '../base/files/output-file.ts';
import { MAX_DECLARATION_BYTES } from '../base/limits/declaration.ts';
import { ConfigError } from '../settings/setting.ts';

/** Throws a `ConfigError` if the file cannot be read. */
export function readText(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > MAX_DECLARATION_BYTES) throw new Error(`it is larger than ${MAX_DECLARATION_BYTES} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw new ConfigError(`the declaration ${file} cannot be read: ${fileProblem(error)}`);
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
    throw new ConfigError(`${file} cannot be written: ${fileProblem(error)}`);
  }
}
