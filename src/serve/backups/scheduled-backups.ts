/** Backups at regular times while the service runs, and the log of changes after the last one in between. */
import { counter, gauge, type Metric } from '../../base/metric.ts';
import { say, type Wording } from '../../base/sentence.ts';
import type { LogMark, Maintenance } from '../../engine/shared/maintenance.ts';
import type { ObjectStore } from '../../files/storage/storage.ts';
import type { Log } from '../../observe/log.ts';
import type { ServeSettings } from '../../settings/by-command.ts';
import {
  backUpTo,
  hasKey,
  isInFuture,
  listBackups,
  openPlace,
  reasonOf,
  removeOld,
  segmentName,
  storeFile,
  temporaryFile,
} from './stored-backups.ts';

/** A failed backup is repeated after this time, or after the interval if that is shorter. */
const RETRY_SECONDS = 60;
/** The longest delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1;
/** How long a stop waits for a running backup and the rest of the log. */
const STOP_MS = 10_000;

type BackupSettings = Pick<
  ServeSettings,
  'backupSeconds' | 'backupLogSeconds' | 'backupsKept' | 'backupAgeSeconds' | 'backupTo' | 'backupFolder' | 'backupKey'
>;

/** The last backup, and the last entry of the log that is stored after it. */
interface Stored {
  readonly name: string;
  readonly last: LogMark | undefined;
}

export class ScheduledBackups {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isStopped = false;
  private pending: Promise<void> | undefined;
  private stored: Stored | undefined;
  private hasListed = false;
  private dueAt = 0;
  /** After a failure, nothing is tried before this time. */
  private retryAt = 0;
  private failures = 0;
  private lastFailure: Wording = '';
  /** Whether a person wants a backup now. */
  private isAsked = false;
  /** The moment of the last good backup, and when the log was last found stored completely. */
  private goodAt = 0;
  private logGoodAt = 0;

  constructor(
    /** Opened for each backup, since a request may have changed the declaration. */
    private readonly open: () => Promise<Maintenance>,
    private readonly settings: BackupSettings,
    private readonly log: Log,
  ) {}

  /** Never two at once. */
  readonly start = (): void => {
    this.pending ??= this.attempt((maintenance, place) => this.step(maintenance, place)).finally(() => {
      this.pending = undefined;
      if (this.isStopped) return;
      const now = Date.now();
      const logAt = now + (this.settings.backupLogSeconds * 1000 || MAX_DELAY_MS);
      const next = Math.max(this.retryAt, Math.min(this.dueAt, logAt));
      this.timer = setTimeout(this.start, Math.min(Math.max(next - now, 1), MAX_DELAY_MS));
    });
  };

  /** Backs up at once. Resolves to the reason if that fails. */
  readonly backUp = async (): Promise<Wording | undefined> => {
    while (this.pending !== undefined) await this.pending;
    if (this.isStopped) return say`the service stopped`;
    clearTimeout(this.timer);
    const before = this.failures;
    this.isAsked = true;
    this.start();
    await this.pending;
    return this.failures === before ? undefined : this.lastFailure;
  };

  /** Waits for a running backup, and stores the rest of the log. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    const rest = async () => {
      await this.pending;
      if (this.stored === undefined) return;
      await this.attempt(async (maintenance, place) => void (await this.storeLog(maintenance, place)));
    };
    await Promise.race([rest(), Bun.sleep(STOP_MS)]);
  }

  readonly metrics = (): readonly Metric[] => [
    gauge('backup_interval_seconds', 'The interval of backups.', this.settings.backupSeconds),
    gauge('backup_timestamp_seconds', 'The time of the last good backup; 0 if there is none.', this.goodAt / 1000),
    gauge('backup_log_timestamp_seconds', 'When the log after the backup was last complete.', this.logGoodAt / 1000),
    counter('backup_failures_total', 'Backups, or logs after them, that failed.', this.failures),
  ];

  private async attempt(work: (maintenance: Maintenance, place: ObjectStore) => Promise<void>): Promise<void> {
    const { backupTo, backupFolder, backupSeconds } = this.settings;
    const place = backupTo || backupFolder;
    try {
      const maintenance = await this.open();
      await work(maintenance, openPlace(place, { create: true, inUse: maintenance.files }));
    } catch (error) {
      this.failures++;
      this.retryAt = Date.now() + Math.min(RETRY_SECONDS, backupSeconds) * 1000;
      this.lastFailure = reasonOf(error);
      this.log.write('error', 'backup failed', { place, reason: String(this.lastFailure) });
    } finally {
      this.isAsked = false;
    }
  }

  private async step(maintenance: Maintenance, place: ObjectStore): Promise<void> {
    if (!this.hasListed) await this.findLast(place);
    if (this.isAsked || Date.now() >= this.dueAt || !(await this.storeLog(maintenance, place)))
      await this.backup(maintenance, place);
  }

  /** Continues after the last backup of an earlier process, unless its key was another one. */
  private async findLast(place: ObjectStore): Promise<void> {
    const last = (await listBackups(place)).findLast((backup) => !isInFuture(backup));
    const isContinued = last !== undefined && (await hasKey(place, last, this.settings.backupKey));
    this.hasListed = true;
    if (last === undefined) return;
    // The clock may have been wrong.
    this.goodAt = Math.min(last.moment.getTime(), Date.now());
    if (!isContinued) return;
    this.stored = last;
    this.dueAt = this.goodAt + this.settings.backupSeconds * 1000;
  }

  private async backup(maintenance: Maintenance, place: ObjectStore): Promise<void> {
    const begun = Date.now();
    const storingLog = <T>(work: Promise<T>) => this.storingLog(work, maintenance, place);
    const { rows, bytes, last, moment, file } = await storingLog(backUpTo(place, maintenance, this.settings.backupKey));
    // The earlier backup and its log are the only ones for moments before this backup.
    if (this.stored?.last !== undefined) await Bun.sleep(moment - Date.now());
    await this.storeLog(maintenance, place);
    this.stored = { name: file, last };
    this.goodAt = begun;
    this.logGoodAt = begun;
    this.dueAt = begun + this.settings.backupSeconds * 1000;
    this.log.write('info', 'backup', { place: place.location, file, rows, bytes });
    await storingLog(removeOld(place, maintenance, this.settings));
  }

  /** Stores the log during work that may take long. The next attempt reports a failure to store it. */
  private async storingLog<T>(work: Promise<T>, maintenance: Maintenance, place: ObjectStore): Promise<T> {
    const { backupLogSeconds } = this.settings;
    const ended = work.then(
      () => true,
      () => true,
    );
    const pause = () => Bun.sleep(1000 * backupLogSeconds || MAX_DELAY_MS).then(() => false);
    while (!(await Promise.race([ended, pause()]))) await this.storeLog(maintenance, place).catch(() => undefined);
    return work;
  }

  /** Returns false if the log does not continue after the last backup. */
  private async storeLog(maintenance: Maintenance, place: ObjectStore): Promise<boolean> {
    const { stored } = this;
    if (stored?.last === undefined || this.settings.backupLogSeconds === 0) return true;
    const now = Date.now();
    const partial = temporaryFile(place, maintenance, this.settings.backupKey);
    const last = await maintenance.copyLog(partial, stored.last);
    if (last === 'other') return false;
    if (last !== 'same') {
      // The copy may have entries that are later than its beginning.
      const completeUntil = Math.max(now, Date.parse(last.at ?? '') || 0);
      await storeFile(place, segmentName(stored.name, last, completeUntil), partial, this.settings.backupKey);
      this.stored = { ...stored, last };
    }
    this.logGoodAt = now;
    return true;
  }
}
