/**
 * Backups in a place, and the log of changes after each. Names have the time, and the last entry of the log:
 * `catalogue-20261118T083000Z-1042-9f3a2b1c.db`, then `catalogue-20261118T083000Z-1042-9f3a2b1c.1077-77aa00bb.log`.
 * They end with `.enc` if they are encrypted.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PRIVATE_MODE, temporaryPath } from '../../base/files/output-file.ts';
import type { LogMark, Maintenance, Progress } from '../../engine/shared/maintenance.ts';
import { ConfigError } from '../../settings/setting.ts';
import { decryptFile, encryptFile } from './encryption.ts';
import type { BackupPlace, StoredObject } from './place.ts';

const NAME = /^(catalogue-(\d{8}T\d{6}Z)(?:-(\d+)-([\da-f]{8}))?)(?:\.(\d+)-([\da-f]{8})\.log|\.db)(\.enc)?$/;
/** The incomplete file of a killed backup. */
const PARTIAL = /^catalogue-.*\.partial-[\da-f]{8}(?:\.enc)?$/;
const ENCRYPTED = '.enc';

export interface StoredBackup extends StoredObject {
  /** The moment whose state it has. */
  readonly moment: Date;
  readonly isEncrypted: boolean;
  /** The log after it, in its order. */
  readonly segments: readonly StoredObject[];
  /** The last entry of the log that is stored. Undefined without a log. */
  readonly last: LogMark | undefined;
}

/** The name of a backup that was copied before `now`. All its changes are earlier than its moment, a whole second. */
function backupName(last: LogMark | undefined, now: number): string {
  const moment = new Date(Math.ceil(now / 1000) * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `catalogue-${moment}${last === undefined ? '' : `-${last.seq}-${last.mark}`}.db`;
}

/** The name of the log after a backup, up to its last entry. Names are in the order of entries. */
export function segmentName(backup: string, last: LogMark): string {
  return `${NAME.exec(backup)![1]}.${String(last.seq).padStart(15, '0')}-${last.mark}.log`;
}

/** The complete backups, oldest first. */
export async function listBackups(place: BackupPlace): Promise<readonly StoredBackup[]> {
  // Not every service lists names in their order.
  const objects = (await place.list()).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const parsed = objects.flatMap((object) => {
    const match = NAME.exec(object.name);
    return match === null ? [] : [{ object, match }];
  });
  const segments = Map.groupBy(
    parsed.filter(({ match }) => match[5] !== undefined),
    ({ match }) => match[1],
  );
  return parsed.flatMap(({ object, match }) => {
    const [, stem, time, seq, mark, isSegment, , encrypted] = match;
    if (isSegment !== undefined) return [];
    const later = segments.get(stem) ?? [];
    const newest = later.at(-1)?.match;
    const [lastSeq, lastMark] = newest === undefined ? [seq, mark] : [newest[5], newest[6]];
    return {
      ...object,
      moment: momentOf(time!),
      isEncrypted: encrypted !== undefined,
      segments: later.map((each) => each.object),
      last: lastSeq === undefined ? undefined : { seq: Number(lastSeq), mark: lastMark! },
    };
  });
}

function momentOf(time: string): Date {
  return new Date(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:'));
}

/** Stores a file, encrypted if there is a key, and compares the stored bytes. Removes the file. Returns its name. */
export async function storeFile(place: BackupPlace, name: string, path: string, key: string): Promise<string> {
  const encrypted = `${path}${ENCRYPTED}`;
  const [stored, source] = key === '' ? [name, path] : [`${name}${ENCRYPTED}`, encrypted];
  try {
    if (key !== '') await encryptFile(path, encrypted, key);
    const { size } = statSync(source);
    const expected = await digestOf(createReadStream(source));
    await place.put(stored, source, size);
    if ((await digestOf(place.get(stored, size))) !== expected) {
      await place.delete(stored);
      throw new ConfigError(`${stored} in ${place.location} differs from what was written; it was removed`);
    }
    return stored;
  } finally {
    for (const each of [path, encrypted]) rmSync(each, { force: true });
  }
}

/** Copies a database to a place. The moment of the backup is now. */
export async function backUpTo(place: BackupPlace, maintenance: Maintenance, key: string, progress?: Progress) {
  const partial = temporaryPath(join(place.temporary, 'catalogue-backup'));
  const report = await maintenance.backup(partial, { replace: false, ...(progress && { progress }) });
  const copied = Date.now();
  const name = backupName(report.last, copied);
  return { ...report, name, copied, file: await storeFile(place, name, partial, key) };
}

async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of bytes) hash.update(part);
  return hash.digest('hex');
}

/** Copies a stored file to a new file in a folder, decrypted. Returns its path. */
export async function fetchFile(
  place: BackupPlace,
  { name, size }: StoredObject,
  folder: string,
  key: string,
): Promise<string> {
  const path = join(folder, name);
  await pipeline(Readable.from(place.get(name, size)), createWriteStream(path, { mode: PRIVATE_MODE, flags: 'wx' }));
  if (!name.endsWith(ENCRYPTED)) return path;
  if (key === '') throw new ConfigError(`${name} is encrypted: set CATALOGUE_BACKUP_KEY to its key`);
  const decrypted = path.slice(0, -ENCRYPTED.length);
  await decryptFile(path, decrypted, key);
  rmSync(path);
  return decrypted;
}

export interface Retention {
  /** The number of backups to keep. */
  readonly backupsKept: number;
  /** Their age; 0 if it does not matter. */
  readonly backupAgeSeconds: number;
}

/** Removes old backups with their logs, and what killed backups left. The newest backup always stays. */
export async function removeOld(place: BackupPlace, { backupsKept, backupAgeSeconds }: Retention): Promise<void> {
  const backups = await listBackups(place);
  const oldest = backupAgeSeconds === 0 ? 0 : Date.now() - backupAgeSeconds * 1000;
  const old = backups.filter(({ moment }, index) => {
    const newer = backups.length - 1 - index;
    return newer >= backupsKept || (newer > 0 && moment.getTime() < oldest);
  });
  for (const backup of old) {
    // A log without its backup is of no use, so the backup is the last to go.
    for (const { name } of [...backup.segments, backup]) await place.delete(name);
  }
  const newest = backups.at(-1)?.time ?? 0;
  for (const { name, time } of await place.list()) if (PARTIAL.test(name) && time < newest) await place.delete(name);
}
