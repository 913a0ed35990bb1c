/** The origin of a web page (RFC 6454, 6.2): scheme, host, and port unless it is the default. */

export const ANY = '*';

/** Parses an Origin header or setting; a trailing slash is ignored. Undefined for anything else, such as `null`. */
export function originOf(text: string): string | undefined {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\s]+)\/?$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, scheme = '', authority = ''] = match;
  const usual = USUAL_PORTS[scheme.toLowerCase()];
  const host = authority.toLowerCase();
  return `${scheme.toLowerCase()}://${usual !== undefined && host.endsWith(usual) ? host.slice(0, -usual.length) : host}`;
}

const USUAL_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** The host and optional port. */
export function authorityOf(origin: string): string {
  return origin.slice(origin.indexOf('://') + 3);
}
