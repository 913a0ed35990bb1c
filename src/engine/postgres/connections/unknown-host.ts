/** Names an unknown host in a connection error: the driver reports different errors, depending on the machine's resolver. */
import { hostOf, resolveProblem } from '../../../base/net/address.ts';
import { isLoss } from '../errors.ts';
import type { ServerAddress } from '../url.ts';

/** Returns the error, or one that names the host if that cannot be resolved. */
export async function nameUnknownHost(error: unknown, { name }: ServerAddress): Promise<unknown> {
  const isSocketFile = name.startsWith('/');
  if (isSocketFile || !isLoss(error)) return error;
  const problem = await resolveProblem(hostOf(name));
  return problem === undefined ? error : Object.assign(new Error(problem), { code: 'ENOTFOUND' });
}
