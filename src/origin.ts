/** The origin of a web page (RFC 6454, 6.2): a scheme, a host, and a port where it is not the usual one. */

export const ANY = '*';

/** As a browser writes it in Origin; a slash at its end does no harm. Undefined where the text is none, such as `null`. */
export function originOf(text: string): string | undefined {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\s]+)\/?$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, scheme = '', authority = ''] = match;
  const usual = USUAL_PORTS[scheme.toLowerCase()];
  const host = authority.toLowerCase();
  return `${scheme.toLowerCase()}://${usual !== undefined && host.endsWith(usual) ? host.slice(0, -usual.length) : host}`;
}

const USUAL_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** What stands after the scheme: the host, and perhaps a port. */
export function authorityOf(origin: string): string {
  return origin.slice(origin.indexOf('://') + 3);
}
