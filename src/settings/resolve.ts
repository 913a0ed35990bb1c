/**
 * Resolves settings: a flag wins over the environment, the environment over the file, the file over the default.
 * Reports all mistakes at once, before anything is touched.
 */

import { existsSync, readFileSync } from 'node:fs';
import { fileProblem } from '../base/files/output-file.ts';
import { didYouMean, nearestName } from '../base/nearest-name.ts';
import { ConfigError, envSetting, fileKey, type Setting, type Table, type Values } from './setting.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The setting that every command accepts. */
export const CONFIG_FILE = envSetting(
  '--config FILE: settings file, TOML or JSON; default: catalogue.toml or catalogue.json in the working folder, if one exists',
  '',
);

export interface Resolved<T extends Table> {
  readonly values: Values<T>;
  /** The source of each value: `default`, a flag, a variable, or a key of the file. */
  readonly origins: Readonly<Record<keyof T, string>>;
  /** Arguments that are not flags, in order. */
  readonly operands: readonly string[];
}

interface ParsedArguments {
  readonly flags: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
  readonly mistakes: readonly string[];
}

/** `known` are the settings of all commands: one environment and one file serve them all. */
export function resolveSettings<T extends Table>(
  table: T,
  args: readonly string[],
  env: Environment,
  { known, operands }: { readonly known: readonly Setting<unknown>[]; readonly operands: number },
): Resolved<T> {
  const mistakes: string[] = [];
  const attempt = <V>(work: () => V): V | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      mistakes.push(error.message);
      return undefined;
    }
  };
  const commandLine = splitArguments({ config: CONFIG_FILE, ...table }, args, operands);
  const configFile = commandLine.flags.get(CONFIG_FILE.flag) ?? (env[CONFIG_FILE.env!] || undefined);
  const file = attempt(() => readSettingsFile(configFile));
  const values: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  for (const [name, each] of Object.entries(table)) {
    const [origin, found] = find(each, commandLine, env, file);
    origins[name] = origin;
    values[name] = each.byDefault;
    if (found !== undefined) attempt(() => (values[name] = each.read(found, origin)));
  }
  const all = [CONFIG_FILE, ...known, ...Object.values(table)];
  mistakes.push(...unknownVariables(all, env), ...unknownKeys(all, file), ...commandLine.mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('; '));
  return { values: values as Values<T>, origins: origins as Resolved<T>['origins'], operands: commandLine.operands };
}

function find(
  each: Setting<unknown>,
  { flags }: ParsedArguments,
  env: Environment,
  file: SettingsFile | undefined,
): [origin: string, text?: string] {
  const flag = flags.get(each.flag);
  if (flag !== undefined) return [each.flag, flag];
  if (each.env === undefined) return ['default'];
  const variable = env[each.env];
  if (variable !== undefined && variable !== '') return [each.env, variable];
  const fileValue = file?.values.get(fileKey(each));
  return fileValue === undefined ? ['default'] : [`${file!.path}: ${fileKey(each)}`, fileValue];
}

function splitArguments(table: Table, args: readonly string[], most: number): ParsedArguments {
  const flags = new Map<string, string>();
  const operands: string[] = [];
  const mistakes: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]!;
    if (operands.length < most && (argument === '-' || !argument.startsWith('-'))) {
      operands.push(argument);
      continue;
    }
    const [flag = '', inline] = splitOnce(argument);
    const each = Object.values(table).find((one) => one.flag === flag || one.aliases?.includes(flag));
    if (each === undefined) {
      mistakes.push(unknownArgument(table, argument));
      continue;
    }
    const text = inline ?? (each.argument === undefined ? 'true' : args[++index]);
    if (text === undefined) {
      mistakes.push(`${flag} needs a value: ${flag} ${each.argument}`);
      continue;
    }
    // A repeated flag becomes a list of lines.
    const earlier = flags.get(each.flag);
    flags.set(each.flag, earlier !== undefined && each.argument?.endsWith('…') ? `${earlier}\n${text}` : text);
  }
  return { flags, operands, mistakes };
}

/** Own variables begin with CATALOGUE_, so that a mistyped one is recognized. */
function unknownVariables(known: readonly Setting<unknown>[], env: Environment): string[] {
  const names = known.flatMap((each) => each.env ?? []);
  // Compare names without the common prefix, which some variables do not have.
  const byEnd = new Map(names.map((name) => [withoutPrefix(name), name]));
  const near = (name: string) => byEnd.get(nearestName(withoutPrefix(name), [...byEnd.keys()]) ?? '');
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !names.includes(name))
    .map((name) => `unknown setting ${name}${near(name) === undefined ? '' : ` (perhaps you meant ${near(name)})`}`);
}

const PREFIX = 'CATALOGUE_';

function withoutPrefix(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

function unknownKeys(known: readonly Setting<unknown>[], file: SettingsFile | undefined): string[] {
  const names = known.filter((each) => each.env !== undefined).map(fileKey);
  return [...(file?.values.keys() ?? [])]
    .filter((key) => !names.includes(key))
    .map((key) => `${file!.path}: unknown setting ${key}${didYouMean(key, names)}`);
}

function unknownArgument(table: Table, argument: string): string {
  const flags = Object.values(table).map((each) => each.flag);
  const kind = argument.startsWith('-') ? 'flag' : 'argument';
  return `unknown ${kind} ${argument}${didYouMean(argument, flags)}`;
}

function splitOnce(argument: string): [string, string?] {
  const at = argument.startsWith('--') ? argument.indexOf('=') : -1;
  return at === -1 ? [argument] : [argument.slice(0, at), argument.slice(at + 1)];
}

/** Default names in the working folder, if --config names no file. */
const USUAL_NAMES = ['catalogue.toml', 'catalogue.json'];

interface SettingsFile {
  readonly path: string;
  /** Each value as the text of a flag. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Reads the settings file: TOML or JSON, one key per setting, named like its flag without the dashes.
 * Returns undefined if no file is named and no default file exists.
 */
function readSettingsFile(named: string | undefined): SettingsFile | undefined {
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
