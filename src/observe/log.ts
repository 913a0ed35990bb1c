/** The log: one structured line per event, text on a terminal, JSON elsewhere. It holds no bodies or secrets. */

import { shorten } from '../base/shorten.ts';
import type { LogLevel, ServeSettings } from '../settings/by-command.ts';

const RANK: Readonly<Record<LogLevel, number>> = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 };

type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface LogSink {
  readonly write: (text: string) => void;
  readonly isPretty: boolean;
}

export class Log {
  constructor(
    private readonly level: LogLevel,
    private readonly sink: LogSink,
    /** Fields of every line. */
    private readonly always?: LogFields,
  ) {}

  enabled(level: LogLevel): boolean {
    return RANK[level] <= RANK[this.level];
  }

  /** `at` is the time of the event in milliseconds since 1970. */
  write(level: Exclude<LogLevel, 'silent'>, message: string, fields: LogFields = {}, at = Date.now()): void {
    if (!this.enabled(level)) return;
    const time = timeOf(Math.floor(at));
    const all = this.always === undefined ? fields : { ...this.always, ...fields };
    this.sink.write(this.sink.isPretty ? prettyLine(time, level, message, all) : jsonLine(time, level, message, all));
  }
}

/**
 * The log of a service on standard error. `worker` is the number of a process that shares it with others: each line is
 * a write of its own, so that a pipe keeps lines of less than 4 KB whole (pipe(7), PIPE_BUF).
 */
export function openLog({ logLevel, logFormat }: ServeSettings, worker?: number): Log {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stderr.isTTY === true);
  const write = (text: string) => process.stderr.write(text);
  return new Log(logLevel, { write, isPretty }, worker === undefined ? undefined : { worker });
}

let lastMoment = 0;
let lastTime = '';

/** Cached, since many lines fall into the same millisecond. */
function timeOf(moment: number): string {
  if (moment !== lastMoment) {
    lastMoment = moment;
    lastTime = new Date(moment).toISOString();
  }
  return lastTime;
}

/** Prints what JSON.stringify would, without allocating an object per request. */
function jsonLine(time: string, level: string, message: string, fields: LogFields): string {
  let line = `{"time":"${time}","level":"${level}","message":${JSON.stringify(message)}`;
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    line += `,"${name}":${typeof value === 'string' ? JSON.stringify(shorten(value)) : value}`;
  }
  return `${line}}\n`;
}

function prettyLine(time: string, level: string, message: string, fields: LogFields): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, typeof value === 'string' ? shorten(value) : value] as const)
    .map(([name, value]) => `${name}=${typeof value === 'string' && /\s/.test(value) ? JSON.stringify(value) : value}`)
    .join(' ');
  return `${time.slice(11, 23)} ${level.padEnd(5)} ${message}${details === '' ? '' : ` ${details}`}\n`;
}
