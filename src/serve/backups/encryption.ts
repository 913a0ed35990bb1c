/**
 * Encrypts files with AES-256-GCM, in chunks: memory stays small, and a changed, missing or swapped chunk is noticed.
 * The nonce of a chunk is its number, and says whether it is the last (the STREAM construction of Hoang et al., 2015).
 * Each file has its own key: scrypt derives one from the passphrase, and HKDF one for each file from that.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { PRIVATE_MODE } from '../../base/files/output-file.ts';
import { keepRecent } from '../../base/memo.ts';
import { ConfigError } from '../../settings/setting.ts';

const MAGIC = Buffer.from('catalogue-backup-1\n');
const SALT_BYTES = 16;
const HEADER_BYTES = MAGIC.length + 2 * SALT_BYTES;
const TAG_BYTES = 16;
const CHUNK_BYTES = 1024 * 1024;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
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

function nonceOf(chunk: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(chunk), 3);
  nonce[11] = Number(isLast);
  return nonce;
}

type Transform = (piece: Buffer, isLast: boolean) => Buffer;

/** Writes a new file from the pieces of another file, after its header. */
async function convert(
  from: string,
  to: string,
  pieceBytes: number,
  begin: (
    source: FileHandle,
    target: FileHandle,
  ) => Promise<{ readonly skipped: number; readonly transform: Transform }>,
): Promise<void> {
  await using source = await open(from, 'r');
  await using target = await open(to, 'wx', PRIVATE_MODE);
  const { size } = await source.stat();
  const { skipped, transform } = await begin(source, target);
  for (let at = skipped, isLast = false; !isLast; at += pieceBytes) {
    const { buffer, bytesRead } = await source.read(Buffer.alloc(pieceBytes), 0, pieceBytes, at);
    isLast = at + bytesRead >= size;
    await target.writeFile(transform(buffer.subarray(0, bytesRead), isLast));
  }
}

export function encryptFile(from: string, to: string, passphrase: string): Promise<void> {
  return convert(from, to, CHUNK_BYTES, async (_, target) => {
    const fileSalt = randomBytes(SALT_BYTES);
    const key = await keyOf(passphrase, ownSalt, fileSalt);
    await target.write(Buffer.concat([MAGIC, ownSalt, fileSalt]));
    let chunk = 0;
    const transform: Transform = (piece, isLast) => {
      const cipher = createCipheriv(CIPHER, key, nonceOf(chunk++, isLast));
      return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
    };
    return { skipped: 0, transform };
  });
}

/** Whether a file begins like an encrypted one. A missing file does not. */
export async function isEncrypted(file: string): Promise<boolean> {
  const start = await Bun.file(file)
    .slice(0, MAGIC.length)
    .bytes()
    .catch(() => undefined);
  return start !== undefined && MAGIC.equals(start);
}

/** Returns a function that throws if the key is wrong, or the file was changed. */
async function decryption(header: Buffer, passphrase: string): Promise<Transform> {
  const salts = header.subarray(MAGIC.length);
  const key = await keyOf(passphrase, salts.subarray(0, SALT_BYTES), salts.subarray(SALT_BYTES));
  let chunk = 0;
  return (piece, isLast) => {
    try {
      const cipher = createDecipheriv(CIPHER, key, nonceOf(chunk++, isLast));
      cipher.setAuthTag(piece.subarray(-TAG_BYTES));
      return Buffer.concat([cipher.update(piece.subarray(0, -TAG_BYTES)), cipher.final()]);
    } catch {
      throw new ConfigError('the backup cannot be decrypted: --backup-key is wrong, or the file is damaged');
    }
  };
}

export async function decryptFile(from: string, to: string, passphrase: string): Promise<void> {
  if (passphrase === '') throw new ConfigError(`${basename(from)} is encrypted: set CATALOGUE_BACKUP_KEY to its key`);
  return convert(from, to, CHUNK_BYTES + TAG_BYTES, async (source) => {
    const { buffer: header } = await source.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return { skipped: HEADER_BYTES, transform: await decryption(header, passphrase) };
  });
}

/** The bytes of a file that `isKeyOf` needs. */
export const HEAD_BYTES = HEADER_BYTES + CHUNK_BYTES + TAG_BYTES;

/** Whether a key decrypts the beginning of a file, which may be all of it. */
export async function isKeyOf(head: Buffer, isWhole: boolean, passphrase: string): Promise<boolean> {
  const decrypt = await decryption(head.subarray(0, HEADER_BYTES), passphrase);
  try {
    decrypt(head.subarray(HEADER_BYTES), isWhole);
    return true;
  } catch {
    return false;
  }
}
