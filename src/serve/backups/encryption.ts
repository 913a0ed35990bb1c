/**
 * Encrypts files with AES-256-GCM as a stream, whose tag is at the end: a changed or incomplete file is noticed. Each
 * file has its own key, so that no nonce is used twice: scrypt derives one from the passphrase, and HKDF one for each
 * file from that.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { PRIVATE_MODE } from '../../base/files/output-file.ts';
import { keepRecent } from '../../base/memo.ts';
import { ConfigError } from '../../settings/setting.ts';

const MAGIC = Buffer.from('catalogue-backup-1\n');
const SALT_BYTES = 16;
const HEADER_BYTES = MAGIC.length + 2 * SALT_BYTES;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
const NONCE = Buffer.alloc(12);
const KEY_BYTES = 32;
/** The bytes that are read and written at once. */
const PIECE = { highWaterMark: 1024 * 1024 };
/** 32 MiB of memory, and about 0.1 s, for each guess. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/** One for each process, so that scrypt runs once. */
const ownSalt = randomBytes(SALT_BYTES);
const derivedKeys = keepRecent<Buffer>(10);
const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

async function keyOf(passphrase: string, salt: Buffer, fileSalt: Buffer): Promise<Buffer> {
  const key = await derivedKeys(`${salt.toString('hex')} ${passphrase}`, () =>
    derive(passphrase, salt, KEY_BYTES, COST),
  );
  return Buffer.from(hkdfSync('sha256', key, fileSalt, MAGIC, KEY_BYTES));
}

export async function encryptFile(from: string, to: string, passphrase: string): Promise<void> {
  const fileSalt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv(CIPHER, await keyOf(passphrase, ownSalt, fileSalt), NONCE);
  await using target = await open(to, 'wx', PRIVATE_MODE);
  await target.writeFile(Buffer.concat([MAGIC, ownSalt, fileSalt]));
  for await (const piece of createReadStream(from, PIECE)) await target.writeFile(cipher.update(piece));
  await target.writeFile(Buffer.concat([cipher.final(), cipher.getAuthTag()]));
}

/** Whether a file begins like an encrypted one. A missing file does not. */
export async function isEncrypted(file: string): Promise<boolean> {
  const start = await bytesOf(file, 0, MAGIC.length).catch(() => undefined);
  return start !== undefined && MAGIC.equals(start);
}

/** Throws if the key is wrong, or the file was changed. */
export async function decryptFile(from: string, to: string, passphrase: string): Promise<void> {
  if (passphrase === '') throw new ConfigError(`${basename(from)} is encrypted: set CATALOGUE_BACKUP_KEY to its key`);
  const end = Bun.file(from).size - TAG_BYTES;
  if (end <= HEADER_BYTES) throw damaged();
  const salts = await bytesOf(from, MAGIC.length, HEADER_BYTES);
  const key = await keyOf(passphrase, salts.subarray(0, SALT_BYTES), salts.subarray(SALT_BYTES));
  const decipher = createDecipheriv(CIPHER, key, NONCE).setAuthTag(await bytesOf(from, end));
  await using target = await open(to, 'wx', PRIVATE_MODE);
  const encrypted = createReadStream(from, { ...PIECE, start: HEADER_BYTES, end: end - 1 });
  for await (const piece of encrypted) await target.writeFile(decipher.update(piece));
  try {
    decipher.final();
  } catch {
    throw damaged();
  }
}

async function bytesOf(file: string, start: number, end?: number): Promise<Buffer> {
  return Buffer.from(await Bun.file(file).slice(start, end).arrayBuffer());
}

function damaged(): ConfigError {
  return new ConfigError('the backup cannot be decrypted: --backup-key is wrong, or the file is damaged');
}
