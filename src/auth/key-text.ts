/** The text of an API key: 256 random bits with a prefix that people and secret scanners recognize. */
const PREFIX = 'cat_';
const KEY = /^cat_[\w-]{43}$/;

export function newKeyText(): string {
  return PREFIX + randomText();
}

export function isKeyText(text: string): boolean {
  return KEY.test(text);
}

/** Whether the text is a key, maybe mistyped: no token has this prefix. */
export function isMeantForKey(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** The hint for a client that sent another text. */
export const KEY_HINT = `A key begins with ${PREFIX}, and has 43 letters, digits, - or _ after it.`;

/** 256 random bits. */
export function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}
