/** Reads the settings file: TOML or JSON, one key per setting, named like its flag without the dashes. */
import { existsSync, readFileSync } from 'node:fs';
import { fileProblem } from '../base/files/file-problem.ts';
import { ConfigError } from './setting.ts';

/** Default names in the working folder, if --config names no file. */
const USUAL_NAMES = ['catalogue.toml', 'catalogue.json'];

export interface SettingsFile {
  readonly path: string;
  /** Each value as the text of a flag. */
  readonly values: ReadonlyMap<string, string>;
}

/** Reads the settings file. Returns undefined if no file is named and no default file exists. */
export function readSettingsFile(named: string | undefined): SettingsFile | undefined {
  const path = named ?? USUAL_NAMES.find((name) => existsSync(name));
  if (path === undefined) return undefined;
  const document = parseDocument(path, readText(path));
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new ConfigError(`${path}: a settings file holds names and values`);
  }
  const entries = Object.entries(document).map(([key, value]) => [key, asText(path, key, value)] as const);
  return { path, values: new Map(entries) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`the settings file ${path} cannot be read: ${fileProblem(error)}`);
  }
}

function parseDocument(path: string, content: string): unknown {
  try {
    return path.endsWith('.json') ? JSON.parse(content) : Bun.TOML.parse(content);
  } catch (error) {
    throw new ConfigError(
      `${path} is not valid ${path.endsWith('.json') ? 'JSON' : 'TOML'}: ${(error as Error).message.trim()}`,
    );
  }
}

function asText(path: string, key: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => asText(path, key, each)).join(',');
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ConfigError(`${path}: ${key} is a text, a number, true or false, or a list of texts`);
}
