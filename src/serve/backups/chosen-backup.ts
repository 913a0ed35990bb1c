/** The backup that a command names, fetched and brought to a moment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Maintenance } from '../../engine/shared/maintenance.ts';
import { ConfigError } from '../../settings/setting.ts';
import { decryptFile, isEncrypted } from './encryption.ts';
import {
  checkDigest,
  fetchFile,
  inPlace,
  isPlace,
  listBackups,
  openPlace,
  type StoredBackup,
} from './stored-backups.ts';

interface BackupChoice {
  /** A file, or a place with the name of a backup, or a place, of which the newest backup is used. */
  readonly from: string;
  /** The moment whose state is wanted. By default that of the backup. */
  readonly until: Date | undefined;
  readonly key: string;
}

interface ChosenBackup {
  /** A copy of the database. */
  readonly file: string;
  /** The restored backup, for messages. */
  readonly name: string;
  /** The time of the last change, if the log was used. */
  readonly lastChange?: string | undefined;
}

/** Calls `use` with a file that is removed afterwards, unless the choice is a file that is used as it is. */
export async function withBackup<T>(
  { from, until, key }: BackupChoice,
  maintenance: Maintenance,
  use: (backup: ChosenBackup) => Promise<T>,
): Promise<T> {
  const isFile = !isPlace(from) && until === undefined;
  if (isFile && !(await isEncrypted(from))) {
    await checkDigest(from);
    return use({ file: from, name: from });
  }
  // Beside the database, where its bytes will be.
  const folder = mkdtempSync(join(dirname(maintenance.files[0] ?? ''), 'catalogue-restore-'));
  try {
    if (!isFile) {
      const fetched = await inPlace(from, 'read', () => fetchBackup({ from, until, key }, maintenance, folder));
      return await use(fetched);
    }
    const file = join(folder, 'backup.db');
    await decryptFile(from, file, key);
    return await use({ file, name: from });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fetchBackup(
  { from, until, key }: BackupChoice,
  maintenance: Maintenance,
  folder: string,
): Promise<ChosenBackup> {
  const isNamed = /\.db(\.enc)?$/.test(from);
  const place = openPlace(isNamed ? dirname(from) : from);
  const backups = await listBackups(place);
  const backup = chooseBackup(backups, from, isNamed, until);
  const file = await fetchFile(place, backup, folder, key);
  if (until === undefined) return { file, name: backup.name };
  const segments: string[] = [];
  for (const each of backup.segments) segments.push(await fetchFile(place, each, folder, key));
  const lastChange = await maintenance.replayLog(file, segments, until);
  return { file, name: backup.name, lastChange };
}

/** The newest backup that, with its log, has all changes until the wanted moment. */
function chooseBackup(
  backups: readonly StoredBackup[],
  from: string,
  isNamed: boolean,
  until: Date | undefined,
): StoredBackup {
  const named = isNamed ? backups.filter(({ name }) => name === basename(from)) : backups;
  const [oldest] = named;
  if (oldest === undefined)
    throw new ConfigError(
      isNamed ? `${basename(from)} is not one of the backups in ${dirname(from)}` : `${from} has no backups`,
    );
  if (until === undefined) return named.at(-1)!;
  const earlier = named.filter(({ moment }) => moment <= until);
  if (earlier.length === 0) {
    throw new ConfigError(
      `${isNamed ? 'the backup' : 'the oldest backup'} is from ${oldest.moment.toISOString()}, after ${until.toISOString()}. catalogue backups lists others`,
    );
  }
  const chosen = earlier.findLast(({ completeUntil }) => completeUntil >= until);
  if (chosen !== undefined) return chosen;
  const last = new Date(Math.max(...earlier.map(({ completeUntil }) => completeUntil.getTime()))).toISOString();
  throw new ConfigError(
    `changes until ${until.toISOString()} may be missing: the stored log is complete until ${last}. Use --until ${last}`,
  );
}
