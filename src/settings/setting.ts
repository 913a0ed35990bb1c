/** The definition of a setting, and readers of its text. A reader's error names the setting and the expected form. */

import { pathPrefix } from '../base/net/path-prefix.ts';
import type { Wording } from '../base/sentence.ts';

/** A mistake of the operator: printed as one sentence, without a stack. */
export class ConfigError extends Error {
  constructor(readonly wording: Wording) {
    super(String(wording));
  }
}

export interface Setting<T> {
  readonly flag: string;
  /** Other spellings of the flag. */
  readonly aliases?: readonly string[];
  /** Absent if the setting belongs to one call of a command: then neither environment nor file may set it. */
  readonly env?: string;
  /** The placeholder after the flag; absent for a switch. */
  readonly argument?: string;
  readonly description: string;
  readonly byDefault: T;
  readonly read: (text: string, name: string) => T;
  /** Hidden in the --help of a command, but still read from the flags, environment and file. */
  readonly isHidden?: boolean;
  /** The part to mask: the whole value, or the password in a URL. */
  readonly secret?: 'whole' | 'url';
}

export type Table = Readonly<Record<string, Setting<unknown>>>;
export type Values<T extends Table> = { readonly [Name in keyof T]: T[Name] extends Setting<infer V> ? V : never };

/**
 * An option of one call of a command. `help` is `--rows NUMBER: maximum number of rows`. A switch, which is off by
 * default, has only its flag before the colon. Without a reader, a setting whose default is a text takes any text.
 */
export function option<T = boolean>(
  help: string,
  given?: T,
  reader?: Setting<T>['read'],
  more: Pick<Setting<T>, 'aliases'> = {},
): Setting<T> {
  const [, flag = '', argument, description = ''] = /^(\S+?)(?: (.+?))?: (.*)$/s.exec(help)!;
  const usual: Setting<unknown>['read'] = typeof given === 'string' ? text : onOrOff;
  const read = reader ?? (usual as Setting<T>['read']);
  const byDefault = (reader === undefined ? (given ?? false) : given) as T;
  return { flag, ...(argument && { argument }), description, byDefault, read, ...more };
}

/** A setting that the environment and the settings file may also give. --pool-size is CATALOGUE_POOL_SIZE there. */
export function envSetting<T = boolean>(
  help: string,
  byDefault?: T,
  read?: Setting<T>['read'],
  more: Pick<Setting<T>, 'env' | 'aliases' | 'secret'> = {},
): Setting<T> {
  const { flag, ...rest } = option(help, byDefault, read);
  return { flag, env: `CATALOGUE_${fileKey({ flag }).toUpperCase().replaceAll('-', '_')}`, ...rest, ...more };
}

/** The table, with some of its settings hidden in --help. */
export function hideSettings<T extends Table>(table: T, ...names: readonly (keyof T)[]): T {
  const hidden = names.map((name) => [name, { ...table[name], isHidden: true }]);
  return { ...table, ...Object.fromEntries(hidden) };
}

/** The name of a setting in a settings file: its flag without the dashes. */
export function fileKey({ flag }: Pick<Setting<unknown>, 'flag'>): string {
  return flag.slice(2);
}

export function text(given: string, name: string): string {
  if (given.trim() === '') throw new ConfigError(`${name} is empty`);
  return given;
}

/** A path prefix, such as /api. */
export function prefix(given: string, name: string): string {
  const path = pathPrefix(given.trim());
  if (path === undefined) throw new ConfigError(`${name} is a path such as /api, not ${given}`);
  return path;
}

/** URLs, each of which may itself list several hosts with commas. */
export function urls(given: string): readonly string[] {
  return given.trim().split(/[\s,]+(?=postgres(?:ql)?:)/i);
}

/** Names that may contain spaces, separated by commas. */
export function names(given: string): readonly string[] {
  return given.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

/** A list, separated by commas or spaces. */
export function list<T>(one: (given: string, name: string) => T): (given: string, name: string) => readonly T[] {
  return (given, name) => {
    const parts = given.split(/[\s,]+/).filter((part) => part !== '');
    if (parts.length === 0) throw new ConfigError(`${name} is empty`);
    return parts.map((part) => one(part, name));
  };
}

export function onOrOff(given: string, name: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(given.toLowerCase())) return true;
  if (['false', '0', 'no', 'off'].includes(given.toLowerCase())) return false;
  throw new ConfigError(`${name} is true or false, not ${given}`);
}

export function oneOf<T extends string>(choices: readonly T[]): (given: string, name: string) => T {
  return (given, name) => {
    const choice = choices.find((each) => each === given);
    if (choice === undefined) throw new ConfigError(`${name} is one of ${choices.join(', ')}, not ${given}`);
    return choice;
  };
}

export function wholeNumber(least: number, most: number): (given: string, name: string) => number {
  return (given, name) => {
    const number = Number(given);
    if (!/^\d+$/.test(given) || number < least || number > most) {
      throw new ConfigError(`${name} is a whole number from ${least} to ${most}, not ${given}`);
    }
    return number;
  };
}

/** A name of the IANA database, such as Europe/Berlin. */
export function timeZone(given: string, name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone;
  } catch {
    throw new ConfigError(`${name} is a time zone such as Europe/Berlin, not ${given}`);
  }
}

/** Bun's timers overflow at 2³¹ milliseconds. */
const MAX_SECONDS = 24 * 86_400;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A duration such as 30s, 15m, 1h or 7d, in seconds; 0 means never. */
export function duration(given: string, name: string): number {
  const seconds = longDuration(given, name);
  if (seconds <= MAX_SECONDS) return seconds;
  throw new ConfigError(`${name} is at most ${MAX_SECONDS / UNIT_SECONDS.d!}d, not ${given}`);
}

/** A duration that no timer waits for. */
export function longDuration(given: string, name: string): number {
  const match = /^(\d+)([smhd])$/.exec(given.trim());
  if (given.trim() === '0') return 0;
  if (match === null) throw new ConfigError(`${name} is a time such as 30s, 15m, 1h or 7d, not ${given}`);
  return Number(match[1]) * UNIT_SECONDS[match[2]!]!;
}

export function moment(given: string, name: string): Date {
  const time = new Date(given.trim().replace(' ', 'T'));
  if (/(?:Z|[+-]\d\d:?\d\d)$/i.test(given.trim()) && !Number.isNaN(time.getTime())) return time;
  throw new ConfigError(`${name} is a time with its zone, such as 2026-11-18T08:30:00Z, not ${given}`);
}
