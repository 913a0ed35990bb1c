/**
 * Settings: one table of them, each with its flag, its environment variable, how it is read and what it is by default.
 * A flag wins over the environment. Every mistake is named before anything is touched.
 */

import { DEFAULT_IDEMPOTENCY_HOURS, DEFAULT_MAX_BODY_MB, DEFAULT_QUERY_SECONDS } from './limits.ts';
import { nearestName } from './nearest-name.ts';

export class ConfigError extends Error {}

interface Setting<T> {
  readonly flag: string;
  readonly env: string;
  /** What stands after the flag; absent for a switch. */
  readonly argument?: string;
  readonly description: string;
  readonly byDefault: T;
  readonly read: (text: string, name: string) => T;
}

function setting<T>(setting: Setting<T>): Setting<T> {
  return setting;
}

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
const LOG_LEVELS: readonly LogLevel[] = ['silent', 'error', 'warn', 'info', 'debug'];

export const SERVE_SETTINGS = {
  port: setting({
    flag: '--port',
    env: 'PORT',
    argument: 'NUMBER',
    description: 'port to listen on; 0 takes a free one',
    byDefault: 3000,
    read: wholeNumber(0, 65_535),
  }),
  host: setting({
    flag: '--host',
    env: 'HOST',
    argument: 'ADDRESS',
    description: 'address to listen on',
    byDefault: '127.0.0.1',
    read: text,
  }),
  database: setting({
    flag: '--database',
    env: 'DATABASE_URL',
    argument: 'URL',
    description: 'sqlite:PATH, a plain path, or :memory:',
    byDefault: 'sqlite:catalogue.db',
    read: text,
  }),
  empty: setting({
    flag: '--empty',
    env: 'CATALOGUE_EMPTY',
    description: 'start a new catalogue without the reference products',
    byDefault: false,
    read: onOrOff,
  }),
  logLevel: setting({
    flag: '--log-level',
    env: 'CATALOGUE_LOG_LEVEL',
    argument: 'LEVEL',
    description: `how much to log: ${LOG_LEVELS.join(', ')}`,
    byDefault: 'info' as LogLevel,
    read: oneOf(LOG_LEVELS),
  }),
  maxBodyMb: setting({
    flag: '--max-body-mb',
    env: 'CATALOGUE_MAX_BODY_MB',
    argument: 'NUMBER',
    description: 'largest request body, in MiB',
    byDefault: DEFAULT_MAX_BODY_MB,
    read: wholeNumber(1, 4096),
  }),
  allowUnfilteredWrites: setting({
    flag: '--allow-unfiltered-writes',
    env: 'CATALOGUE_ALLOW_UNFILTERED_WRITES',
    description: 'let PATCH and DELETE without a filter touch every product',
    byDefault: false,
    read: onOrOff,
  }),
  idempotencyHours: setting({
    flag: '--idempotency-hours',
    env: 'CATALOGUE_IDEMPOTENCY_HOURS',
    argument: 'NUMBER',
    description: 'how long the answer to an Idempotency-Key is kept',
    byDefault: DEFAULT_IDEMPOTENCY_HOURS,
    read: wholeNumber(1, 8760),
  }),
  querySeconds: setting({
    flag: '--query-timeout',
    env: 'CATALOGUE_QUERY_TIMEOUT',
    argument: 'SECONDS',
    description: 'how long a read may take',
    byDefault: DEFAULT_QUERY_SECONDS,
    read: wholeNumber(1, 3600),
  }),
} as const;

type Table = Readonly<Record<string, Setting<unknown>>>;
export type Values<T extends Table> = { readonly [Name in keyof T]: T[Name] extends Setting<infer V> ? V : never };
export type ServeSettings = Values<typeof SERVE_SETTINGS>;

type Environment = Readonly<Record<string, string | undefined>>;

export function readSettings<T extends Table>(table: T, args: readonly string[], env: Environment): Values<T> {
  const mistakes: string[] = [];
  const values: Record<string, unknown> = {};
  const attempt = (read: () => void) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      mistakes.push(error.message);
    }
  };
  for (const [name, each] of Object.entries(table)) {
    values[name] = each.byDefault;
    const given = env[each.env];
    if (given !== undefined && given !== '') attempt(() => (values[name] = each.read(given, each.env)));
  }
  for (const unknown of unknownVariables(table, env)) mistakes.push(unknown);
  attempt(() => readFlags(table, args, values));
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('; '));
  return values as Values<T>;
}

function readFlags(table: Table, args: readonly string[], values: Record<string, unknown>): void {
  for (let index = 0; index < args.length; index++) {
    const [flag = '', inline] = splitOnce(args[index]!, '=');
    const found = Object.entries(table).find(([, each]) => each.flag === flag);
    if (found === undefined) throw unknownArgument(table, args[index]!);
    const [name, each] = found;
    const given = inline ?? (each.argument === undefined ? 'true' : args[++index]);
    if (given === undefined) throw new ConfigError(`${flag} needs a value: ${flag} ${each.argument}`);
    values[name] = each.read(given, flag);
  }
}

/** Our own variables begin with CATALOGUE_, so that a mistyped one can be told from a stranger's. */
function unknownVariables(table: Table, env: Environment): string[] {
  const known = Object.values(table).map((each) => each.env);
  return Object.keys(env)
    .filter((name) => name.startsWith('CATALOGUE_') && !known.includes(name))
    .map((name) => `unknown setting ${name}${perhaps(name, known)}`);
}

function unknownArgument(table: Table, argument: string): ConfigError {
  const flags = Object.values(table).map((each) => each.flag);
  const kind = argument.startsWith('-') ? 'flag' : 'argument';
  return new ConfigError(`unknown ${kind} ${argument}${perhaps(argument, flags)}`);
}

function perhaps(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : ` (perhaps you meant ${nearest})`;
}

function splitOnce(textToSplit: string, separator: string): [string, string?] {
  const at = textToSplit.startsWith('--') ? textToSplit.indexOf(separator) : -1;
  return at === -1 ? [textToSplit] : [textToSplit.slice(0, at), textToSplit.slice(at + 1)];
}

function text(given: string, name: string): string {
  if (given.trim() === '') throw new ConfigError(`${name} is empty`);
  return given;
}

function onOrOff(given: string, name: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(given.toLowerCase())) return true;
  if (['false', '0', 'no', 'off'].includes(given.toLowerCase())) return false;
  throw new ConfigError(`${name} is true or false, not ${given}`);
}

function oneOf<T extends string>(choices: readonly T[]): (given: string, name: string) => T {
  return (given, name) => {
    const choice = choices.find((each) => each === given);
    if (choice === undefined) throw new ConfigError(`${name} is one of ${choices.join(', ')}, not ${given}`);
    return choice;
  };
}

function wholeNumber(least: number, most: number): (given: string, name: string) => number {
  return (given, name) => {
    const number = Number(given);
    if (!/^\d+$/.test(given) || number < least || number > most) {
      throw new ConfigError(`${name} is a whole number from ${least} to ${most}, not ${given}`);
    }
    return number;
  };
}

/** The settings of a command, for its --help. */
export function describeSettings(table: Table): string {
  const rows = Object.values(table).map((each) => ({
    usage: each.argument === undefined ? each.flag : `${each.flag} ${each.argument}`,
    text: `${each.description} (${each.env}${each.byDefault === false ? '' : `, default ${each.byDefault}`})`,
  }));
  const width = Math.max(...rows.map((row) => row.usage.length));
  return rows.map((row) => `  ${row.usage.padEnd(width)}  ${row.text}`).join('\n');
}
