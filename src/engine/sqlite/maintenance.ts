/** The care of a catalogue file. The copying itself is in backup.ts, restore.ts and check.ts, on a thread of its own. */
import { existsSync } from 'node:fs';
import type { Collection } from '../../collection/declaration.ts';
import { ConfigError } from '../../config.ts';
import type { BackupReport, Finding, Maintenance } from '../maintenance.ts';
import { IN_MEMORY } from './index.ts';
import type { MaintenanceAnswer, MaintenanceRequest } from './maintenance-thread.ts';

export class SqliteMaintenance implements Maintenance {
  readonly location: string;

  constructor(
    private readonly path: string,
    private readonly collection: Collection,
  ) {
    this.location = path;
  }

  backup(file: string, { replace }: { readonly replace: boolean }): Promise<BackupReport> {
    this.mustBeThere();
    return this.ask({ kind: 'backup', path: this.path, file, replace, collection: this.collection });
  }

  restore(file: string, { replace }: { readonly replace: boolean }): Promise<BackupReport> {
    if (this.path === IN_MEMORY) throw new ConfigError('a catalogue in memory has no file to restore');
    return this.ask({ kind: 'restore', path: this.path, file, replace, collection: this.collection });
  }

  check(): Promise<readonly Finding[]> {
    this.mustBeThere();
    return this.ask({ kind: 'check', path: this.path, collection: this.collection });
  }

  private mustBeThere(): void {
    if (this.path === IN_MEMORY) throw new ConfigError('a catalogue in memory has no file');
    if (!existsSync(this.path)) throw new ConfigError(`there is no database ${this.path}`);
  }

  /** These take as long as the file is large, and a service goes on meanwhile. */
  private ask<T>(request: MaintenanceRequest): Promise<T> {
    const worker = new Worker(new URL('./maintenance-thread.ts', import.meta.url).href);
    return new Promise<T>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<MaintenanceAnswer>) => {
        if ('done' in data) resolve(data.done as T);
        else reject('mistake' in data ? new ConfigError(data.mistake) : new Error(data.fault));
      };
      worker.onerror = (event) => reject(new Error(`the thread failed: ${event.message}`));
      worker.postMessage(request);
    }).finally(() => worker.terminate());
  }
}
