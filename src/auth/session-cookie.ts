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
export function sessionIn(cookies: string, scope: CookieScope): string | undefined {
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
