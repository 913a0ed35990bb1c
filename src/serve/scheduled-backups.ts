/** Backups at regular times while the service runs: each with its time in its name, the oldest ones removed. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ServeSettings } from '../config.ts';
import { ConfigError } from '../config.ts';
import type { Maintenance } from '../engine/maintenance.ts';
import type { Log } from '../observe/log.ts';
import { isSameFile } from '../written-file.ts';

const NAME = /^catalogue-\d{8}T\d{6}Z\.db$/;
/** What a backup that was killed has left behind. */
const PARTIAL = /^catalogue-\d{8}T\d{6}Z\.db\.partial-\w+$/;

export class ScheduledBackups {
  private readonly timer: ReturnType<typeof setInterval>;
  private pending: Promise<void> | undefined;

  constructor(
    private readonly maintenance: Maintenance,
    private readonly settings: Pick<ServeSettings, 'backupSeconds' | 'backupsKept' | 'backupFolder'>,
    private readonly log: Log,
  ) {
    this.timer = setInterval(() => this.tick(), settings.backupSeconds * 1000);
  }

  /** Resolves when one that is under way is done. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.pending;
  }

  private tick(): void {
    // One that takes longer than the time between two is not joined by a second.
    this.pending ??= this.backup().finally(() => {
      this.pending = undefined;
    });
  }

  private async backup(): Promise<void> {
    const { backupFolder, backupsKept } = this.settings;
    const file = join(backupFolder, `catalogue-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db`);
    try {
      mkdirSync(backupFolder, { recursive: true });
      const { rows, bytes } = await this.maintenance.backup(file, { replace: true });
      this.log.write('info', 'backup', { file, rows, bytes });
      this.removeOld(backupFolder, backupsKept);
    } catch (error) {
      const reason = error instanceof ConfigError ? error.message : String(error);
      this.log.write('error', 'backup failed', { file, reason });
    }
  }

  /** A backup that is served in its folder is a database now. */
  private removeOld(folder: string, kept: number): void {
    const names = readdirSync(folder).filter(
      (name) => !this.maintenance.files.some((file) => isSameFile(join(folder, name), file)),
    );
    const backups = names.filter((name) => NAME.test(name)).sort();
    const oldest = backups.at(-kept) ?? '';
    for (const name of [...backups, ...names.filter((each) => PARTIAL.test(each))]) {
      if (name < oldest) rmSync(join(folder, name));
    }
  }
}
