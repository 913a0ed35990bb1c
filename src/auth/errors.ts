/** Errors for rejected credentials: 401 with the header of RFC 6750, in PostgREST's words if it has some. */

import { ApiError, type ApiErrorDetails, type ErrorCode } from '../base/errors.ts';
import { ANONYMOUS } from '../collection/access/caller.ts';

type Code = Extract<ErrorCode, 'PGRST300' | 'PGRST301' | 'PGRST303' | 'CAT401'>;

/** The message never repeats what the client sent: it may be a secret. */
export function invalidToken(code: Code, message: string, { headers, ...details }: ApiErrorDetails = {}): ApiError {
  // A role or a claim may hold any letter; a header may not.
  const text = message.replaceAll(/["\\]/g, '\\$&').replaceAll(/[^\x20-\x7e]/g, '?');
  const challenge = `Bearer error="invalid_token", error_description="${text}"`;
  return new ApiError(code, message, { ...details, headers: { 'www-authenticate': challenge, ...headers } });
}

/** `lookalike`: a declared role that is probably meant for requests without credentials. */
export function credentialsNeeded(lookalike?: string): ApiError {
  const more = ` Requests without credentials have the role ${ANONYMOUS.role}, which is not declared. Perhaps ${lookalike} is meant for them.`;
  return new ApiError('PGRST302', 'Anonymous access is disabled', {
    hint: `Send a token or a key in the header Authorization: Bearer, or log in.${lookalike === undefined ? '' : more}`,
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** The credentials are valid, but their role is not declared. */
export function noSuchRole(code: Code, role: string): ApiError {
  return invalidToken(code, `role "${role}" does not exist`, { hint: 'Use a role of the declaration.' });
}
