/** Random texts of keys and sessions, and their hashes. People and secret scanners recognize the prefix of a key. */
import { SHA256 } from 'bun';

/** No token has this prefix. */
export const KEY_PREFIX = 'cat_';
export const KEY_TEXT = /^cat_[\w-]{43}$/;

/** The hint for a client that sent another text. */
export const KEY_HINT = `A key begins with ${KEY_PREFIX}, and has 43 letters, digits, - or _ after it.`;

/** 256 random bits. */
export function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

/** The database and the caches hold only hashes, so that nothing stored can be sent as a credential. */
export function hashOf(text: string): string {
  return SHA256.hash(text, 'base64url');
}
