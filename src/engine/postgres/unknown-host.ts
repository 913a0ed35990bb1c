/** A host that nobody knows: the driver only says that the connection is refused. */
import { lookup } from 'node:dns/promises';
import type { ServerError } from './refusals.ts';
import type { ServerAddress } from './url.ts';

/** The same failure, or that there is no such host. */
export async function namingHost(error: unknown, { name }: ServerAddress): Promise<unknown> {
  const isSocketFile = name.startsWith('/');
  if (isSocketFile || (error as ServerError).code !== 'ERR_POSTGRES_CONNECTION_REFUSED') return error;
  const host = name.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  try {
    await lookup(host);
    return error;
  } catch {
    return Object.assign(new Error(`the host ${host} is not known`), { code: 'ENOTFOUND' });
  }
}
