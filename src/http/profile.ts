/** Accept-Profile and Content-Profile: the schema that a request addresses. The service has one. */
import { ApiError } from '../base/errors.ts';

/** As in PostgREST, reads name the schema in Accept-Profile and writes in Content-Profile. */
export function checkProfile(method: string, headers: Headers, schema: string): void {
  const profile = headers.get(method === 'GET' || method === 'HEAD' ? 'accept-profile' : 'content-profile');
  if (profile === null || profile === schema) return;
  throw new ApiError('PGRST106', `Invalid schema: ${profile}`, {
    hint: `Only the following schemas are exposed: ${schema}`,
  });
}
