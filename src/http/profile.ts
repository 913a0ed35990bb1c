/** Accept-Profile and Content-Profile: the schema that a request addresses. The service has one. */
import { ApiError } from '../base/errors.ts';

const WRITES = ['POST', 'PATCH', 'PUT', 'DELETE'];

/** As in PostgREST, writes name the schema in Content-Profile and all others in Accept-Profile. Returns whether it is named. */
export function checkProfile(method: string, headers: Headers, schema: string): boolean {
  const profile = headers.get(WRITES.includes(method) ? 'content-profile' : 'accept-profile');
  if (profile === null || profile === schema) return profile !== null;
  throw new ApiError('PGRST106', `Invalid schema: ${profile}`, {
    hint: `Only the following schemas are exposed: ${schema}`,
  });
}
