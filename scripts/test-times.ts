/** The times of test files: those of the last run order the files of the next one, and the slowest are printed. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export interface FileTimes {
  readonly file: string;
  /** In milliseconds. */
  readonly wall: number;
  readonly cpu: number;
}

const TIMES = '.test-times.json';
const PRINTED = 20;
/** The wall time in seconds of a file that has not run yet, by its folder. The longest property tests begin early. */
const DEFAULT_SECONDS: Readonly<Record<string, number>> = {
  browser: 28,
  processes: 9,
  auth: 7,
  spec: 7,
  property: 8,
  clients: 5,
  sqlite: 5,
};

/** The times of all previous runs, for files that still exist. */
function knownTimes(): Map<string, FileTimes> {
  const known = existsSync(TIMES) ? (JSON.parse(readFileSync(TIMES, 'utf8')) as FileTimes[]) : [];
  return new Map(known.filter(({ file }) => existsSync(file)).map((times) => [times.file, times]));
}

/** Writes a file for `bun test --timings`, which starts the slowest files first. */
export function writeTimings(path: string): void {
  const known = knownTimes();
  const durations = [...new Bun.Glob('test/**/*.test.ts').scanSync()].map((file) => {
    const defaultMs = 1000 * (DEFAULT_SECONDS[file.split('/')[1]!] ?? 1);
    return [file, Math.round(known.get(file)?.wall ?? defaultMs)];
  });
  writeFileSync(path, JSON.stringify({ version: 1, files: Object.fromEntries(durations) }));
}

/** Reads the lines that `test/support/file-times.ts` wrote. */
export function readTimes(path: string): FileTimes[] {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  return lines.map((line) => JSON.parse(line) as FileTimes);
}

/** Stores the times of this run, and keeps those of files that did not run. */
export function storeTimes(times: readonly FileTimes[]): void {
  const known = knownTimes();
  for (const each of times) known.set(each.file, each);
  const lines = [...known.values()].sort((a, b) => b.wall - a.wall).map((each) => JSON.stringify(each));
  writeFileSync(TIMES, `[\n${lines.join(',\n')}\n]\n`);
}

/** The slowest files as a table. */
export function slowest(times: readonly FileTimes[]): string {
  const rows = [...times].sort((a, b) => b.wall - a.wall).slice(0, PRINTED);
  return [
    '  wall s   CPU s  file',
    ...rows.map(({ file, wall, cpu }) => `${seconds(wall)}${seconds(cpu)}  ${file}`),
  ].join('\n');
}

export function seconds(ms: number): string {
  return (ms / 1000).toFixed(1).padStart(8);
}
