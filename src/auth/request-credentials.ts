/** Reads the credentials of a request. One of them wins; malformed ones are rejected before any work. */
import { MAX_CREDENTIAL_LENGTH } from '../base/limits/auth.ts';
import type { Call } from '../http/call.ts';
import { invalidToken } from './errors.ts';
import { KEY_HINT, KEY_PREFIX, KEY_TEXT } from './secret-text.ts';

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

/**
 * The session cookie. Scripts cannot read it, and other sites cannot make a browser send it. Over TLS it has a
 * `__Secure-` name, which HTTP cannot set, and at the root of a host a `__Host-` name, which a sibling host cannot set.
 * Other names are ignored (https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis, 4.1.3).
 */
const NAME = 'catalogue_session';
const SECURE_NAME = `__Secure-${NAME}`;
const HOST_NAME = `__Host-${NAME}`;
const TEXT = /^[\w-]{43}$/;

/** The text of the session; undefined if no cookie can be one. */
function sessionIn(cookies: string, scope: CookieScope): string | undefined {
  if (!cookies.includes(NAME)) return undefined;
  const pairs = cookies.split(';').map((pair) => pair.trim());
  const texts = acceptedNames(scope).map((name) =>
    pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1),
  );
  return texts.find((text) => text !== undefined && TEXT.test(text));
}

export interface CookieScope {
  /** Whether the client's side of the connection is encrypted, here or at a proxy. */
  readonly isSecure: boolean;
  /** The path prefix that clients use. */
  readonly prefix: string;
}

/** The last name is the one to set. Below a path, the cookie of the whole host also applies. */
function acceptedNames({ isSecure, prefix }: CookieScope): readonly string[] {
  if (!isSecure) return [NAME];
  return prefix === '' ? [HOST_NAME] : [HOST_NAME, SECURE_NAME];
}

/** Without seconds, the browser deletes the cookie. */
export function sessionCookie(scope: CookieScope, text = '', seconds = 0): string {
  const { isSecure, prefix } = scope;
  const name = acceptedNames(scope).at(-1)!;
  return `${name}=${text}; Path=${prefix === '' ? '/' : prefix}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}
