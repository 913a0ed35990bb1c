/**
 * The cookie of a session: no script reads it, no other site has it sent. Over TLS at the root of a host it has a name that no
 * other host below the same domain can set (https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis, 4.1.3.2).
 */
const NAME = 'catalogue_session';
const HOST_NAME = `__Host-${NAME}`;
const TEXT = /^[\w-]{43}$/;

/** The text of the session; undefined where there is none that could be one. */
export function sessionIn(cookies: string): string | undefined {
  if (!cookies.includes(NAME)) return undefined;
  const pairs = cookies.split(';').map((pair) => pair.trim());
  for (const name of [HOST_NAME, NAME]) {
    const pair = pairs.find((each) => each.startsWith(`${name}=`));
    const text = pair?.slice(name.length + 1);
    if (text !== undefined && TEXT.test(text)) return text;
  }
  return undefined;
}

export interface CookieTerms {
  readonly isSecure: boolean;
  /** What a client puts before the paths of the service. */
  readonly prefix: string;
}

export function sessionCookie(text: string, seconds: number, { isSecure, prefix }: CookieTerms): string {
  const name = isSecure && prefix === '' ? HOST_NAME : NAME;
  return `${name}=${text}; Path=${prefix === '' ? '/' : prefix}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

/** The browser forgets it. */
export function endedCookie(terms: CookieTerms): string {
  return sessionCookie('', 0, terms);
}

/** Whether the client's side of the connection is encrypted, here or at a proxy. A client that says so falsely harms itself. */
export function isSecure(request: Request): boolean {
  return request.url.startsWith('https:') || request.headers.get('x-forwarded-proto')?.trim().toLowerCase() === 'https';
}
