/** The log: one structured line an event, readable on a terminal, JSON elsewhere. Never a body, never a secret. */
import type { LogLevel } from '../config.ts';

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
  ) {}

  enabled(level: LogLevel): boolean {
    return RANK[level] <= RANK[this.level];
  }

  write(level: Exclude<LogLevel, 'silent'>, message: string, fields: LogFields = {}): void {
    if (!this.enabled(level)) return;
    const time = new Date().toISOString();
    this.waiting += this.sink.isPretty
      ? prettyLine(time, level, message, fields)
      : jsonLine(time, level, message, fields);
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

function jsonLine(time: string, level: string, message: string, fields: LogFields): string {
  return `${JSON.stringify({ time, level, message, ...fields })}\n`;
}

function prettyLine(time: string, level: string, message: string, fields: LogFields): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' && /\s/.test(value) ? JSON.stringify(value) : value}`)
    .join(' ');
  return `${time.slice(11, 23)} ${level.padEnd(5)} ${message}${details === '' ? '' : ` ${details}`}\n`;
}
