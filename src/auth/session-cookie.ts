/**
 * The cookie of a session: no script reads it, no other site has it sent. Over TLS it has a name that nobody on the way can set
 * over HTTP, and at the root of a host none that another host below the same domain can set; no other name counts there
 * (https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis, 4.1.3).
 */
const NAME = 'catalogue_session';
const SECURE_NAME = `__Secure-${NAME}`;
const HOST_NAME = `__Host-${NAME}`;
const TEXT = /^[\w-]{43}$/;

/** The text of the session; undefined where there is none that could be one. */
export function sessionIn(cookies: string, terms: CookieTerms): string | undefined {
  if (!cookies.includes(NAME)) return undefined;
  const pairs = cookies.split(';').map((pair) => pair.trim());
  for (const name of namesThatCount(terms)) {
    const pair = pairs.find((each) => each.startsWith(`${name}=`));
    const text = pair?.slice(name.length + 1);
    if (text !== undefined && TEXT.test(text)) return text;
  }
  return undefined;
}

export interface CookieTerms {
  /** Whether the client's side of the connection is encrypted, here or at a proxy. */
  readonly isSecure: boolean;
  /** What a client puts before the paths of the service. */
  readonly prefix: string;
}

/** The last is the one that is set; of the root, that of the whole host counts below a path, too. */
function namesThatCount({ isSecure, prefix }: CookieTerms): readonly string[] {
  if (!isSecure) return [NAME];
  return prefix === '' ? [HOST_NAME] : [HOST_NAME, SECURE_NAME];
}

export function sessionCookie(text: string, seconds: number, terms: CookieTerms): string {
  const { isSecure, prefix } = terms;
  const name = namesThatCount(terms).at(-1)!;
  return `${name}=${text}; Path=${prefix === '' ? '/' : prefix}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

/** The browser forgets it. */
export function endedCookie(terms: CookieTerms): string {
  return sessionCookie('', 0, terms);
}
