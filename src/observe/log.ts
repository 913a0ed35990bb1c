/** The log: one structured line an event, readable on a terminal, JSON elsewhere. Never a body, never a secret. */
import type { LogLevel } from '../config.ts';
import { shortened } from '../shortened.ts';

const RANK: Readonly<Record<LogLevel, number>> = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 };
/** Lines wait this long for company: a write to the terminal or a pipe costs more than the request it tells of. */
const FLUSH_MS = 100;
const FLUSH_LENGTH = 32 * 1024;

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface LogSink {
  readonly write: (text: string) => void;
  readonly isPretty: boolean;
}

export class Log {
  private waiting = '';
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly level: LogLevel,
    private readonly sink: LogSink,
    /** What every line tells. */
    private readonly always?: LogFields,
  ) {}

  enabled(level: LogLevel): boolean {
    return RANK[level] <= RANK[this.level];
  }

  /** `at` is when it happened, in milliseconds since 1970. */
  write(level: Exclude<LogLevel, 'silent'>, message: string, fields: LogFields = {}, at = Date.now()): void {
    if (!this.enabled(level)) return;
    const time = timeOf(Math.floor(at));
    const told = this.always === undefined ? fields : { ...this.always, ...fields };
    this.waiting += this.sink.isPretty ? prettyLine(time, level, message, told) : jsonLine(time, level, message, told);
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

/** What a pipe takes at once and whole (pipe(7), PIPE_BUF). */
const PIECE_BYTES = 4096;

/** A text in whole lines, so that those of several processes on one pipe are not mixed, unless one is longer than that. */
export function* inPieces(text: string): Generator<string> {
  let piece = '';
  let bytes = 0;
  for (const line of text.match(/[^\n]*\n/g) ?? []) {
    const length = Buffer.byteLength(line);
    if (bytes > 0 && bytes + length > PIECE_BYTES) {
      yield piece;
      piece = '';
      bytes = 0;
    }
    piece += line;
    bytes += length;
  }
  if (piece !== '') yield piece;
}

let lastMoment = 0;
let lastTime = '';

/** Many lines are of the same millisecond. */
function timeOf(moment: number): string {
  if (moment !== lastMoment) {
    lastMoment = moment;
    lastTime = new Date(moment).toISOString();
  }
  return lastTime;
}

/** As JSON.stringify would have it, but for the object that it would need: there is a line for every request. */
function jsonLine(time: string, level: string, message: string, fields: LogFields): string {
  let line = `{"time":"${time}","level":"${level}","message":${JSON.stringify(message)}`;
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    line += `,"${name}":${typeof value === 'string' ? JSON.stringify(shortened(value)) : value}`;
  }
  return `${line}}\n`;
}

function prettyLine(time: string, level: string, message: string, fields: LogFields): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, typeof value === 'string' ? shortened(value) : value] as const)
    .map(([name, value]) => `${name}=${typeof value === 'string' && /\s/.test(value) ? JSON.stringify(value) : value}`)
    .join(' ');
  return `${time.slice(11, 23)} ${level.padEnd(5)} ${message}${details === '' ? '' : ` ${details}`}\n`;
}
