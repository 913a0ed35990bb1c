/**
 * Parses a PostgreSQL URL with one or several servers
 * (`postgres://user:pass@one:5432,two:5432/db?target_session_attrs=read-write`), as in libpq. Bun's driver takes one
 * server at a time.
 */
import { hostOf, resolveProblem } from '../../base/net/address.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { isLoss } from './errors.ts';

export interface Target {
  /** One URL per server, in the order of attempts. Contains the password: never printed. */
  readonly servers: readonly ServerAddress[];
  readonly needsWritable: boolean;
  /** For messages; without password and parameters. */
  readonly location: string;
}

export interface ServerAddress {
  readonly url: string;
  /** host:port, for messages. */
  readonly name: string;
}

const URL_PARTS = /^postgres(?:ql)?:\/\/(?:(.*)@)?([^/?@]*)(?:\/([^?]*))?(?:\?(.*))?$/is;
const WRITABLE = ['read-write', 'primary'];
const ANY = ['any', 'prefer-standby', 'standby', 'read-only'];

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

export function parseTarget(url: string): Target {
  const match = URL_PARTS.exec(url.trim());
  // Not repeated, since the URL may contain a password.
  if (match === null)
    throw new ConfigError('the database URL cannot be read; write postgres://user:password@host/name');
  const [, login = '', hostList = '', database = '', query = ''] = match;
  const parameters = new URLSearchParams(query);
  const session = parameters.get('target_session_attrs') ?? undefined;
  if (session !== undefined && ![...WRITABLE, ...ANY].includes(session)) {
    throw new ConfigError(`target_session_attrs is read-write or any, not ${session}`);
  }
  parameters.delete('target_session_attrs');
  const hosts = hostList === '' ? [''] : hostList.split(',');
  const rest = parameters.size === 0 ? '' : `?${parameters}`;
  const user = login.split(':')[0] ?? '';
  return {
    servers: hosts.map((host) => ({
      url: `postgres://${login === '' ? '' : `${login}@`}${host}/${database}${rest}`,
      name: host === '' ? (parameters.get('host') ?? 'localhost') : host,
    })),
    needsWritable: session === undefined ? hosts.length > 1 : WRITABLE.includes(session),
    location: `postgres://${user === '' ? '' : `${user}@`}${hostList}/${database}`,
  };
}

/** Returns the error, or one that names an unresolvable host: the driver reports different errors for that. */
export async function nameUnknownHost(error: unknown, { name }: ServerAddress): Promise<unknown> {
  const isSocketFile = name.startsWith('/');
  const problem = isSocketFile || !isLoss(error) ? undefined : await resolveProblem(hostOf(name));
  return problem === undefined ? error : Object.assign(new Error(problem), { code: 'ENOTFOUND' });
}
