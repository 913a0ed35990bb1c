/** Reads as another role: an administrator checks what a role sees, with `X-As-Role`. */
import { ApiError } from '../base/errors.ts';
import { didYouMean } from '../base/nearest-name.ts';
import type { Caller } from '../collection/access/caller.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { Call } from '../http/call.ts';

/** The caller in the role that the request asks for. The claims stay those of the caller. */
export function inAskedRole(caller: Caller, { headers, isRead }: Call, { roles }: Catalogue): Caller {
  const role = headers.get('x-as-role');
  if (role === null) return caller;
  if (roles?.get(caller.role)?.isAll !== true)
    throw new ApiError('42501', `permission denied to read as the role ${role}`, {
      hint: 'X-As-Role needs a role with every right.',
    });
  if (!isRead)
    throw new ApiError('42501', 'a request with X-As-Role cannot write', { details: 'Nothing was changed.' });
  const names = [...(roles?.keys() ?? [])];
  if (!names.includes(role))
    throw new ApiError('42501', `the role ${role} does not exist`, {
      hint: `The roles are ${names.join(', ')}${didYouMean(role, names)}.`,
    });
  return { ...caller, role };
}
