/** Backups at regular times while the service runs: each with its time in its name, the oldest ones removed. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ServeSettings } from '../config.ts';
import { ConfigError } from '../config.ts';
import type { Maintenance } from '../engine/maintenance.ts';
import type { Log } from '../observe/log.ts';

const NAME = /^catalogue-\d{8}T\d{6}Z\.db$/;

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
      const all = readdirSync(backupFolder)
        .filter((name) => NAME.test(name))
        .sort();
      for (const old of all.slice(0, -backupsKept)) rmSync(join(backupFolder, old));
    } catch (error) {
      const reason = error instanceof ConfigError ? error.message : String(error);
      this.log.write('error', 'backup failed', { file, reason });
    }
  }
}
