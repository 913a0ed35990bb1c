/** Reads the credentials of a request. One of them wins; malformed ones are rejected before any work. */
import { MAX_CREDENTIAL_LENGTH } from '../base/limits/auth.ts';
import type { Call } from '../http/call.ts';
import { invalidToken } from './errors.ts';
import { KEY_HINT, KEY_PREFIX, KEY_TEXT } from './secret-text.ts';
import { type CookieScope, sessionIn } from './session-cookie.ts';

export type RequestCredentials = { readonly kind: 'token' | 'key' | 'session'; readonly text: string };

/** RFC 6750, 2.1. */
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;

/** Returns the credentials of a request, or undefined. Authorization wins over apikey, and both over a cookie. */
export function credentialsOf(call: Call, scope: (call: Call) => CookieScope): RequestCredentials | undefined {
  const { authorization, apikey } = call;
  if (authorization !== null) return tokenOrKey(bearerOf(authorization));
  if (apikey !== null) return tokenOrKey(shortEnough(apikey.trim()));
  return requestSession(call, scope);
}

export function requestSession(call: Call, scope: (call: Call) => CookieScope): RequestCredentials | undefined {
  const text = call.cookie === null ? undefined : sessionIn(call.cookie, scope(call));
  return text === undefined ? undefined : { kind: 'session', text };
}

function bearerOf(authorization: string): string {
  const header = shortEnough(authorization.trim());
  if (/^bearer$/i.test(header)) throw invalidToken('PGRST301', 'Empty JWT is sent in Authorization header');
  const token = BEARER.exec(header)?.[1];
  if (token !== undefined) return token;
  throw invalidToken('PGRST301', 'The Authorization header cannot be read', {
    hint: 'Send it once, as Bearer and one token or key.',
  });
}

function shortEnough(text: string): string {
  if (text.length <= MAX_CREDENTIAL_LENGTH) return text;
  throw invalidToken('PGRST301', `A token or key has at most ${MAX_CREDENTIAL_LENGTH} characters`);
}

function tokenOrKey(text: string): RequestCredentials {
  if (KEY_TEXT.test(text)) return { kind: 'key', text };
  if (text.startsWith(KEY_PREFIX)) throw invalidToken('PGRST301', 'The key is incomplete', { hint: KEY_HINT });
  return { kind: 'token', text };
}
