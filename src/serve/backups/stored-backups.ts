/**
 * Backups in a place, and the log of changes after each. Names have the time, the last entry of the log, and the
 * beginning of the SHA-256 of the stored bytes:
 * `catalogue-20261118T083000Z-1042-9f3a2b1c-77d8e5a0c1b2f394.db`, then, complete until its time,
 * `catalogue-20261118T083000Z-1042-9f3a2b1c-77d8e5a0c1b2f394.1077-77aa00bb-20261118T083010123Z-5b20….log`.
 * They end with `.enc` if they are encrypted.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../base/errors.ts';
import { fileProblem, PRIVATE_MODE, temporaryPath } from '../../base/files/output-file.ts';
import { say, type Wording } from '../../base/sentence.ts';
import type { LogMark, Maintenance, Progress } from '../../engine/shared/maintenance.ts';
import { Bucket, isS3 } from '../../files/storage/bucket.ts';
import { Folder } from '../../files/storage/folder.ts';
import { inParts, type ObjectStore, type StoredObject } from '../../files/storage/storage.ts';
import { ConfigError } from '../../settings/setting.ts';
import { decryptFile, encryptFile, HEAD_BYTES, isKeyOf } from './encryption.ts';

const NAME =
  /^(catalogue-(\d{8}T\d{6}Z)(?:-(\d+)-([\da-f]{8}))?(?:-[\da-f]{16})?)(?:\.(\d+)-([\da-f]{8})-(\d{8}T\d{9}Z)(?:-[\da-f]{16})?\.log|\.db)(\.enc)?$/;
/** The digest in a name. Names of earlier versions have none. */
const DIGEST = /^catalogue-.*-([\da-f]{16})\.(?:db|log)(?:\.enc)?$/;
/** The incomplete file of a killed backup. */
const PARTIAL = /^catalogue-.*\.partial-[\da-f]{8}(?:\.enc)?$/;
const ENCRYPTED = '.enc';
/** The end of the name of a copy beside the database. */
const COPY = '.backup';
/** Older incomplete copies belong to a killed backup. */
const LEFTOVER_MS = 3_600_000;
/** Clocks of machines differ less. */
const MAX_CLOCK_ERROR_MS = 86_400_000;

export interface StoredBackup extends StoredObject {
  /** The moment whose state it has. */
  readonly moment: Date;
  readonly isEncrypted: boolean;
  /** The log after it, in its order. */
  readonly segments: readonly StoredObject[];
  /** The last entry of the log that is stored. Undefined without a log. */
  readonly last: LogMark | undefined;
  /** The backup and its log have all changes until this moment. */
  readonly completeUntil: Date;
}

function backupName(last: LogMark | undefined, moment: number): string {
  const time = new Date(moment).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `catalogue-${time}${last === undefined ? '' : `-${last.seq}-${last.mark}`}.db`;
}

/** The name of the log after a backup, complete until a time. Names are in the order of entries. */
export function segmentName(backup: string, last: LogMark, time: number): string {
  const until = new Date(time).toISOString().replaceAll(/[-:.]/g, '');
  return `${NAME.exec(backup)![1]}.${String(last.seq).padStart(15, '0')}-${last.mark}-${until}.log`;
}

/** Whether the moment of a backup is that of a wrong clock, so that it does not show how new the backup is. */
export function isInFuture({ moment }: Pick<StoredBackup, 'moment'>): boolean {
  return moment.getTime() > Date.now() + MAX_CLOCK_ERROR_MS;
}

/** The complete backups, oldest first. Those of a wrong clock count as the oldest ones. */
export async function listBackups(place: ObjectStore): Promise<readonly StoredBackup[]> {
  // Not every service lists names in their order.
  const objects = (await objectsIn(place)).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const parsed = objects.flatMap((object) => {
    const match = NAME.exec(object.name);
    return match === null ? [] : [{ object, match }];
  });
  const segments = Map.groupBy(
    parsed.filter(({ match }) => match[5] !== undefined),
    ({ match }) => match[1],
  );
  const all = parsed.flatMap(({ object, match }) => {
    const [, stem, time, seq, mark, isSegment, , , encrypted] = match;
    if (isSegment !== undefined) return [];
    const later = segments.get(stem) ?? [];
    const newest = later.at(-1)?.match;
    const [lastSeq, lastMark] = newest === undefined ? [seq, mark] : [newest[5], newest[6]];
    return {
      ...object,
      moment: momentOf(time!),
      first: `${seq}-${mark}`,
      logUntil: momentOf(newest?.[7] ?? time!),
      isEncrypted: encrypted !== undefined,
      segments: later.map((each) => each.object),
      last: lastSeq === undefined ? undefined : { seq: Number(lastSeq), mark: lastMark! },
    };
  });
  const known = all.filter((backup) => !isInFuture(backup));
  return [...all.filter(isInFuture), ...known].map(({ first: _, logUntil, ...backup }) => {
    const { last } = backup;
    // Nothing changed until a later backup that has the same last entry.
    const same = last && known.findLast(({ first }) => first === `${last.seq}-${last.mark}`);
    const completeUntil = same !== undefined && same.moment > logUntil ? same.moment : logUntil;
    return { ...backup, completeUntil };
  });
}

/** The backups of a place, as `catalogue backups` and requests show them. */
export async function describeBackups(place: ObjectStore) {
  return (await listBackups(place)).map(({ name, moment, size, isEncrypted, completeUntil }) => ({
    backup: name,
    time: moment.toISOString(),
    bytes: size,
    encrypted: isEncrypted,
    complete_until: completeUntil.toISOString(),
  }));
}

function momentOf(time: string): Date {
  const digits = time.replaceAll(/\D/g, '').padEnd(17, '0');
  return new Date(digits.replace(/^(.{4})(..)(..)(..)(..)(..)(...)$/, '$1-$2-$3T$4:$5:$6.$7Z'));
}

/**
 * Stores a file, encrypted if there is a key, and compares the stored bytes. Removes the file. Returns its name, to
 * which it adds the digest.
 */
export async function storeFile(place: ObjectStore, name: string, path: string, key: string): Promise<string> {
  const { temporary } = place;
  const encrypted = `${temporary === undefined ? path : temporaryPath(join(temporary, 'catalogue-backup'))}${ENCRYPTED}`;
  const source = key === '' ? path : encrypted;
  try {
    if (key !== '') await encryptFile(path, encrypted, key);
    const { size } = statSync(source);
    const expected = await digestOf(createReadStream(source));
    const stored = name.replace(/\.\w+$/, `-${expected.slice(0, 16)}$&${key === '' ? '' : ENCRYPTED}`);
    await place.put(stored, source, size);
    if ((await digestOf(inParts(place.get(stored, size)))) !== expected) {
      await place.delete(stored);
      throw new ConfigError(say`${stored} in ${place.location} differs from what was written; it was removed`);
    }
    return stored;
  } finally {
    for (const each of [path, encrypted]) rmSync(each, { force: true });
  }
}

/** A name for an incomplete copy. A copy that will be encrypted is only beside the database. */
export function temporaryFile(
  { temporary }: ObjectStore,
  { files: [database = ''] }: Maintenance,
  key: string,
): string {
  const isBeside = key !== '' || temporary === undefined;
  return temporaryPath(isBeside ? `${database}${COPY}` : join(temporary, 'catalogue-backup'));
}

/** Copies a database to a place. All changes in it are earlier than its moment, a whole second. */
export async function backUpTo(place: ObjectStore, maintenance: Maintenance, key: string, progress?: Progress) {
  const partial = temporaryFile(place, maintenance, key);
  const report = await maintenance.backup(partial, { replace: false, ...(progress && { progress }) });
  const moment = Math.ceil(Date.now() / 1000) * 1000;
  return { ...report, moment, file: await storeFile(place, backupName(report.last, moment), partial, key) };
}

async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of bytes) hash.update(part);
  return hash.digest('hex');
}

/** Throws if a file has other bytes than when it was stored, as its name says. Decryption checks encrypted ones. */
export async function checkDigest(path: string): Promise<void> {
  const expected = DIGEST.exec(basename(path))?.[1];
  if (expected === undefined || !existsSync(path)) return;
  if ((await digestOf(createReadStream(path))).startsWith(expected)) return;
  throw new ConfigError(`${basename(path)} is damaged: its bytes have changed since it was stored. Use another backup`);
}

/** Copies a stored file to a new file in a folder, decrypted. Returns its path. */
export async function fetchFile(
  place: ObjectStore,
  { name, size }: StoredObject,
  folder: string,
  key: string,
): Promise<string> {
  const path = join(folder, name);
  await pipeline(inParts(place.get(name, size)), createWriteStream(path, { mode: PRIVATE_MODE, flags: 'wx' }));
  if (!name.endsWith(ENCRYPTED)) {
    await checkDigest(path);
    return path;
  }
  const decrypted = path.slice(0, -ENCRYPTED.length);
  await decryptFile(path, decrypted, key);
  rmSync(path);
  return decrypted;
}

/** Whether a backup is encrypted with this key, or with none if it is empty. */
export async function hasKey(place: ObjectStore, backup: StoredBackup, key: string): Promise<boolean> {
  const { name, size, isEncrypted } = backup;
  if (!isEncrypted || key === '') return isEncrypted === (key !== '');
  const end = Math.min(size, HEAD_BYTES);
  const head = await Array.fromAsync(inParts(place.get(name, size, 0, end)));
  return isKeyOf(Buffer.concat(head), end === size, key);
}

interface Retention {
  readonly backupsKept: number;
  /** Their age; 0 if it does not matter. */
  readonly backupAgeSeconds: number;
}

/** Removes old backups with their logs, and what killed backups left. The newest backup always stays. */
export async function removeOld(
  place: ObjectStore,
  { files: [database = ''] }: Maintenance,
  { backupsKept, backupAgeSeconds }: Retention,
): Promise<void> {
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
  const isLeftover = (time: Date) => time.getTime() < Date.now() - LEFTOVER_MS;
  for (const { name, time } of await objectsIn(place))
    if (PARTIAL.test(name) && isLeftover(time)) await place.delete(name);
  for (const name of readdirSync(dirname(database))) {
    if (!name.startsWith(`${basename(database)}${COPY}.partial-`)) continue;
    const path = join(dirname(database), name);
    const file = statSync(path, { throwIfNoEntry: false });
    if (file !== undefined && isLeftover(file.mtime)) rmSync(path);
  }
}

/** `inUse` are files that are never deleted: a database may be a former backup. */
export function openPlace(location: string, { create = false, inUse = [] as readonly string[] } = {}): ObjectStore {
  if (isS3(location)) return new Bucket(location);
  const folder = location.replace(/^file:(\/\/(?=\/))?/, '');
  if (create) mkdirSync(folder, { recursive: true });
  return new Folder(folder, { inUse });
}

export function isPlace(text: string): boolean {
  return isS3(text) || text.startsWith('file:');
}

async function objectsIn(place: ObjectStore): Promise<readonly StoredObject[]> {
  const all: StoredObject[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await place.list(after);
    all.push(...page.objects);
    after = page.next;
  }
  return all;
}

/** Reads or writes a place for a command, which prints a failure as one sentence. */
export async function inPlace<T>(place: string, use: 'read' | 'written', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ConfigError(`${place} cannot be ${use}: ${reasonOf(error)}`);
  }
}

/** The reason of a failure as one sentence. */
export function reasonOf(error: unknown): Wording {
  if (error instanceof ConfigError) return error.wording;
  if (!(error instanceof ApiError)) return fileProblem(error);
  return fileProblem({ code: error.reason, message: String(error.cause ?? error.message) });
}
