/** Scheduled backups while the service runs, named by their time. The oldest ones are removed. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSameFile } from '../base/files/output-file.ts';
import type { Maintenance } from '../engine/shared/maintenance.ts';
import type { Log } from '../observe/log.ts';
import type { ServeSettings } from '../settings/by-command.ts';
import { ConfigError } from '../settings/by-command.ts';

const NAME = /^catalogue-\d{8}T\d{6}Z\.db$/;
/** The partial file of a killed backup. */
const PARTIAL = /^catalogue-\d{8}T\d{6}Z\.db\.partial-\w+$/;

export class ScheduledBackups {
  private readonly timer: ReturnType<typeof setInterval>;
  private pending: Promise<void> | undefined;

  constructor(
    /** Opened for each backup, since a request may have changed the declaration. */
    private readonly open: () => Promise<Maintenance>,
    private readonly settings: Pick<ServeSettings, 'backupSeconds' | 'backupsKept' | 'backupFolder'>,
    private readonly log: Log,
  ) {
    this.timer = setInterval(() => this.tick(), settings.backupSeconds * 1000);
  }

  /** Resolves when a running backup has finished. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.pending;
  }

  private tick(): void {
    // Never run two backups at once.
    this.pending ??= this.backup().finally(() => {
      this.pending = undefined;
    });
  }

  private async backup(): Promise<void> {
    const { backupFolder, backupsKept } = this.settings;
    const file = join(backupFolder, `catalogue-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db`);
    try {
      mkdirSync(backupFolder, { recursive: true });
      const maintenance = await this.open();
      const { rows, bytes } = await maintenance.backup(file, { replace: true });
      this.log.write('info', 'backup', { file, rows, bytes });
      removeOld(backupFolder, backupsKept, maintenance.files);
    } catch (error) {
      const reason = error instanceof ConfigError ? error.message : String(error);
      this.log.write('error', 'backup failed', { file, reason });
    }
  }
}

/** Keeps a backup that is itself in use as a database. */
function removeOld(folder: string, kept: number, databaseFiles: readonly string[]): void {
  const names = readdirSync(folder).filter(
    (name) => !databaseFiles.some((file) => isSameFile(join(folder, name), file)),
  );
  const backups = names.filter((name) => NAME.test(name)).sort();
  const oldest = backups.at(-kept) ?? '';
  for (const name of [...backups, ...names.filter((each) => PARTIAL.test(each))]) {
    if (name < oldest) rmSync(join(folder, name));
  }
}
