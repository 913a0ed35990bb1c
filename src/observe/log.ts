/** The log: one structured line per event, text on a terminal, JSON elsewhere. It holds no bodies or secrets. */

import { shorten } from '../base/errors.ts';
import type { LogLevel, ServeSettings } from '../settings/by-command.ts';

const RANK: Readonly<Record<LogLevel, number>> = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 };
/** Lines are buffered this long: a write to a terminal or pipe costs more than a request. */
const FLUSH_MS = 100;
const FLUSH_LENGTH = 32 * 1024;

type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface LogSink {
  readonly write: (text: string) => void;
  readonly isPretty: boolean;
}

export class Log {
  private waiting = '';
  private timer: ReturnType<typeof setTimeout> | undefined;

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
    this.waiting += this.sink.isPretty ? prettyLine(time, level, message, all) : jsonLine(time, level, message, all);
    if (this.waiting.length > FLUSH_LENGTH || level === 'error') this.flush();
    else this.timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const text = this.waiting;
    this.waiting = '';
    if (text !== '') this.sink.write(text);
  }
}

/** The log of a service on standard error. `worker` is the number of a process that shares it with others. */
export function openLog({ logLevel, logFormat }: ServeSettings, worker?: number): Log {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stderr.isTTY === true);
  const print = (text: string) => process.stderr.write(text);
  if (worker === undefined) return new Log(logLevel, { write: print, isPretty });
  return new Log(logLevel, { write: (text) => pipeChunks(text).forEach(print), isPretty }, { worker });
}

/** The size that a pipe writes atomically (pipe(7), PIPE_BUF). */
const CHUNK_BYTES = 4096;

/** Splits text into chunks of whole lines, so that several processes can share a pipe. Only a longer line is split. */
function* pipeChunks(text: string): Generator<string> {
  let chunk = '';
  let bytes = 0;
  for (const line of text.match(/[^\n]*\n/g) ?? []) {
    const length = Buffer.byteLength(line);
    if (bytes > 0 && bytes + length > CHUNK_BYTES) {
      yield chunk;
      chunk = '';
      bytes = 0;
    }
    chunk += line;
    bytes += length;
  }
  if (chunk !== '') yield chunk;
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
