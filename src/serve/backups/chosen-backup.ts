/** The backup that a command names, fetched and brought to a moment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Maintenance } from '../../engine/shared/maintenance.ts';
import { ConfigError } from '../../settings/setting.ts';
import { isPlace, openPlace, reasonOf } from './place.ts';
import { fetchFile, listBackups, type StoredBackup } from './stored-backups.ts';

export interface BackupChoice {
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
  const isFile = !isPlace(from);
  if (isFile && until === undefined && !from.endsWith('.enc')) return use({ file: from, name: from });
  const isNamed = /\.db(\.enc)?$/.test(from);
  const place = openPlace(isNamed ? dirname(from) : from);
  const backups = await listBackups(place).catch((error) => {
    throw new ConfigError(`${place.location} cannot be read: ${reasonOf(error)}`);
  });
  const backup = chooseBackup(backups, from, isNamed, until);
  // Beside the database, where its bytes will be.
  const folder = mkdtempSync(join(dirname(maintenance.files[0] ?? ''), 'catalogue-restore-'));
  try {
    const file = await fetchFile(place, backup, folder, key);
    if (until === undefined) return await use({ file, name: backup.name });
    const segments: string[] = [];
    for (const each of backup.segments) segments.push(await fetchFile(place, each, folder, key));
    const lastChange = await maintenance.replayLog(file, segments, until);
    return await use({ file, name: backup.name, lastChange });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function chooseBackup(
  backups: readonly StoredBackup[],
  from: string,
  isNamed: boolean,
  until: Date | undefined,
): StoredBackup {
  const named = isNamed ? backups.filter(({ name }) => name === basename(from)) : backups;
  const [oldest] = named;
  if (oldest === undefined) throw new ConfigError(isNamed ? `backup ${from} does not exist` : `${from} has no backups`);
  const chosen = named.findLast(({ moment }) => until === undefined || moment <= until);
  if (chosen === undefined) {
    throw new ConfigError(
      `${isNamed ? 'the backup' : 'the oldest backup'} is from ${oldest.moment.toISOString()}, after ${until!.toISOString()}. catalogue backups lists others`,
    );
  }
  return chosen;
}
