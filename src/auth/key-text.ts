/** A key as a program sends it: 256 random bits, with a beginning by which people and scanners for leaked secrets know it. */
const PREFIX = 'cat_';
const KEY = /^cat_[\w-]{43}$/;

export function newKeyText(): string {
  return PREFIX + randomText();
}

export function isKeyText(text: string): boolean {
  return KEY.test(text);
}

/** Whether it was meant for a key, however mistyped: no token begins so. */
export function isMeantForKey(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** For those who have sent something else. */
export const KEY_HINT = `A key begins with ${PREFIX}, and has 43 letters, digits, - or _ after it.`;

/** 256 random bits. */
export function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}
