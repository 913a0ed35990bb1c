/** Rules for users and keys, shared by commands and requests. Each function returns the problem, if there is one. */
import { MAX_ACCOUNT_NAME_LENGTH, MAX_CLAIMS_BYTES } from '../base/limits/auth.ts';
import { suggestName } from '../base/nearest-name.ts';
import { isObject } from '../collection/exact-json.ts';

export const CLAIMS_FORM = `a JSON object of at most ${MAX_CLAIMS_BYTES} bytes`;

/** Checks that a name is readable in a log and easy to type. */
export function nameProblem(name: string, what: 'key' | 'user'): string | undefined {
  if (name !== '' && name.trim() === name && !/\p{C}/u.test(name) && [...name].length <= MAX_ACCOUNT_NAME_LENGTH) {
    return undefined;
  }
  return `the name of a ${what} has up to ${MAX_ACCOUNT_NAME_LENGTH} letters, no control characters, and no spaces at its ends`;
}

export function roleProblem(roles: ReadonlyMap<string, unknown>, role: string): string | undefined {
  if (roles.has(role)) return undefined;
  const names = [...roles.keys()];
  const there = names.length === 0 ? 'the declaration has none' : `the roles are ${names.join(', ')}`;
  return `unknown role ${role}; ${suggestName(role, names, there)}`;
}

export function isClaims(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Buffer.byteLength(JSON.stringify(value)) <= MAX_CLAIMS_BYTES;
}
