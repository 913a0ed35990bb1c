/** A key as a program sends it: 256 random bits, with a beginning by which people and scanners for leaked secrets know it. */
const PREFIX = 'cat_';
const KEY = /^cat_[\w-]{43}$/;

export function newKeyText(): string {
  return PREFIX + randomText();
}

export function isKeyText(text: string): boolean {
  return KEY.test(text);
}

/** 256 random bits. */
export function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}
