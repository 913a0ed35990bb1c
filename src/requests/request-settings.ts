/** The settings of a transaction by which a function of the database sees the request, as in PostgREST. */
import type { RequestContext } from '../response/request-context.ts';

export function settingsOf({ call: { headers, method, pathname }, caller }: RequestContext): Record<string, string> {
  const cookies = (headers.get('cookie') ?? '').split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return equals === -1 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]];
  });
  const shown = [...headers].filter(([name]) => name !== 'cookie');
  return {
    'request.method': method,
    'request.path': pathname,
    'request.headers': JSON.stringify(Object.fromEntries(shown)),
    'request.cookies': JSON.stringify(Object.fromEntries(cookies)),
    'request.jwt.claims': JSON.stringify({ ...caller?.claims, role: caller?.role ?? 'anonymous' }),
  };
}
