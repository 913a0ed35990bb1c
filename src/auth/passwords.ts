/**
 * Password hashes by argon2id (https://www.rfc-editor.org/rfc/rfc9106; parameters from OWASP). Bun hashes on its own
 * threads. Few run at a time, since each needs much memory.
 */

import { ApiError } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';
import {
  MAX_CONCURRENT_HASHES,
  MAX_PASSWORD_BYTES,
  MAX_QUEUED_HASHES,
  MIN_PASSWORD_LENGTH,
} from '../base/limits/auth.ts';
import { ConfigError } from '../settings/by-command.ts';
import { randomText } from './secret-text.ts';

const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

const hashQueue = new FairQueue({
  places: MAX_CONCURRENT_HASHES,
  placesPerCaller: MAX_CONCURRENT_HASHES,
  maxWaiting: MAX_QUEUED_HASHES,
  tooMany: () =>
    new ApiError('CAT429', 'too many logins at once', {
      hint: 'Try again in a moment.',
      headers: { 'retry-after': '2' },
    }),
});

/** Keyboards encode the same letter in several ways. */
const normal = (password: string) => password.normalize('NFC');

/** Why the text cannot be a password; undefined if it can. */
export function passwordProblem(password: string): string | undefined {
  if ([...password].length < MIN_PASSWORD_LENGTH) return `a password has at least ${MIN_PASSWORD_LENGTH} characters`;
  if (Buffer.byteLength(normal(password)) > MAX_PASSWORD_BYTES) {
    return `a password has at most ${MAX_PASSWORD_BYTES} bytes`;
  }
  return undefined;
}

export function hashPassword(password: string): Promise<string> {
  const problem = passwordProblem(password);
  if (problem !== undefined) throw new ConfigError(problem);
  return hashQueue.run('', 1, () => Bun.password.hash(normal(password), ARGON2));
}

export function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
}

/** Compared with the password of an unknown name, which then takes as long as a known one. */
let dummyHash: Promise<string> | undefined;

/** `hash` is undefined if the user does not exist. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  return hashQueue.run('', 1, async () => {
    dummyHash ??= Bun.password.hash(randomText(), ARGON2);
    const isRight = await Bun.password.verify(normal(password), hash ?? (await dummyHash));
    return isRight && hash !== undefined;
  });
}
