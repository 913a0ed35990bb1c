/** Maintenance of a database file. backup.ts, restore.ts and integrity-check.ts do the work on a thread. */
import { Database } from 'bun:sqlite';
import { existsSync, statSync } from 'node:fs';
import { temporaryPath } from '../../../base/files/output-file.ts';
import { say } from '../../../base/sentence.ts';
import type { Catalogue } from '../../../collection/declaration.ts';
import { ConfigError } from '../../../settings/by-command.ts';
import type { MigrationPlan } from '../../migration/words.ts';
import type {
  BackupReport,
  CopyOptions,
  Finding,
  LogMark,
  Maintenance,
  MigrationOptions,
  Progress,
  RestoreOptions,
  RestoreReport,
} from '../../shared/maintenance.ts';
import { filesOf, IN_MEMORY } from '../connection/database-files.ts';
import { planSchema } from '../schema/migrate.ts';
import { openExisting } from './backup.ts';
import { lastMark } from './log-mark.ts';
import type { MaintenanceAnswer, MaintenanceRequest, TaskInput, Tasks } from './maintenance-thread.ts';

export class SqliteMaintenance implements Maintenance {
  readonly location: string;

  constructor(
    private readonly path: string,
    private readonly catalogue: Catalogue,
  ) {
    this.location = path;
  }

  get files(): readonly string[] {
    return filesOf(this.path);
  }

  backup(file: string, { replace, progress }: CopyOptions): Promise<BackupReport> {
    this.mustBeThere();
    const { path } = this;
    const partial = temporaryPath(file);
    return watching(progress, path, [partial], () => this.ask('backup', { path, file, partial, replace }));
  }

  restore(file: string, { progress, ...options }: RestoreOptions): Promise<RestoreReport> {
    if (this.path === IN_MEMORY) throw new ConfigError('a catalogue in memory has no file to restore');
    const { path } = this;
    const partial = temporaryPath(path);
    // A new file grows itself; a file in use grows in its log.
    const growing = [partial, `${path}-wal`];
    return watching(progress, file, growing, () => this.ask('restore', { path, file, partial, ...options }));
  }

  copyLog(file: string, after: LogMark): Promise<LogMark | 'same' | 'other'> {
    this.mustBeThere();
    // Most of the time nothing is new, and a thread would cost more than the question.
    if (isUnchanged(this.path, after)) return Promise.resolve('same');
    return this.ask('log', { path: this.path, file, after });
  }

  replayLog(file: string, segments: readonly string[], until: Date): Promise<string | undefined> {
    // As the log stores times.
    const time = until.toISOString().replace(/\.?0*Z$/, '+00:00');
    return this.ask('replay', { path: file, segments, until: time });
  }

  /** A missing file counts as empty and is not created. */
  async plan({ firstRows, ...options }: MigrationOptions): Promise<MigrationPlan> {
    if (firstRows === undefined) {
      this.mustBeThere();
      return this.ask('plan', { path: this.path });
    }
    using db = existsSync(this.path) ? openExisting(this.path) : new Database(IN_MEMORY);
    try {
      return planSchema(db, { ...options, firstRows, catalogue: this.catalogue });
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      throw new ConfigError(`the database ${this.path} cannot be read: ${(error as Error).message}`);
    }
  }

  check(progress?: Progress): Promise<readonly Finding[]> {
    this.mustBeThere();
    return this.ask('check', { path: this.path }, progress);
  }

  private mustBeThere(): void {
    if (this.path === IN_MEMORY) throw new ConfigError('a catalogue in memory has no file');
    if (!existsSync(this.path)) throw new ConfigError(`database ${this.path} does not exist`);
  }

  /** Runs on a thread, since it takes time proportional to the file size. */
  private ask<K extends keyof Tasks>(kind: K, given: TaskInput<K>, progress?: Progress): Promise<ReturnType<Tasks[K]>> {
    const request: MaintenanceRequest = { kind, given, catalogue: this.catalogue.draft };
    const worker = new Worker(new URL('./maintenance-thread.ts', import.meta.url).href);
    return new Promise<ReturnType<Tasks[K]>>((resolve, reject) => {
      let reason = 'it ended';
      worker.onmessage = ({ data }: MessageEvent<MaintenanceAnswer>) => {
        if ('step' in data) progress?.(data.step, data.steps);
        else if ('done' in data) resolve(data.done as ReturnType<Tasks[K]>);
        else reject('mistake' in data ? new ConfigError(say`${data.mistake}`) : new Error(data.fault));
      };
      worker.onerror = (event) => {
        reason = event.message;
      };
      worker.addEventListener('close', () => reject(new Error(`the thread failed: ${reason}`)));
      worker.postMessage(request);
    }).finally(() => worker.terminate());
  }
}

function isUnchanged(path: string, { seq, mark }: LogMark): boolean {
  using db = openExisting(path);
  const last = lastMark(db);
  return last?.seq === seq && last.mark === mark;
}

const LOOK_MS = 100;

/** Progress is the size of the copy relative to the source. */
async function watching<T>(
  progress: Progress | undefined,
  original: string,
  copies: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  if (progress === undefined) return work();
  const total = sizeOf(original);
  const timer = setInterval(() => {
    progress(Math.min(total, Math.max(...copies.map(sizeOf))), total);
  }, LOOK_MS);
  try {
    const result = await work();
    progress(total, total);
    return result;
  } finally {
    clearInterval(timer);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
