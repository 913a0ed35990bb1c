/** Checks the claims of a verified token and derives its caller. The messages are PostgREST's. */

import { MAX_ACCOUNT_NAME_LENGTH, TOKEN_LEEWAY_SECONDS } from '../base/limits/auth.ts';
import type { Caller } from '../collection/access/caller.ts';
import { ANONYMOUS } from '../collection/access/caller.ts';
import type { ClaimPath } from '../settings/access.ts';
import { invalidToken } from './errors.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface RequiredClaims {
  /** The required audience and issuer; empty if any is accepted. */
  readonly audience: string;
  readonly issuer: string;
  readonly role: ClaimPath;
}

const NOT_ACCEPTABLE = 'PGRST303';

export function readClaims(payload: Uint8Array): Claims {
  try {
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) return claims as Claims;
  } catch {
    // Rejected below.
  }
  throw invalidToken(NOT_ACCEPTABLE, 'Parsing claims failed');
}

/** Returns when the token expires, in milliseconds since 1970. */
export function checkClaims(claims: Claims, { audience, issuer }: RequiredClaims, now = Date.now() / 1000): number {
  const moment = (name: 'exp' | 'nbf' | 'iat'): number | undefined => {
    const value = claims[name];
    if (value === undefined || Number.isFinite(value)) return value as number | undefined;
    throw invalidToken(NOT_ACCEPTABLE, `The JWT '${name}' claim must be a number`);
  };
  const expires = moment('exp') ?? Number.POSITIVE_INFINITY;
  if (expires < now - TOKEN_LEEWAY_SECONDS) throw invalidToken(NOT_ACCEPTABLE, 'JWT expired');
  if ((moment('nbf') ?? 0) > now + TOKEN_LEEWAY_SECONDS) throw invalidToken(NOT_ACCEPTABLE, 'JWT not yet valid');
  if ((moment('iat') ?? 0) > now + TOKEN_LEEWAY_SECONDS) throw invalidToken(NOT_ACCEPTABLE, 'JWT issued at future');
  checkAudience(claims.aud ?? undefined, audience);
  if (issuer !== '' && claims.iss !== issuer) throw invalidToken(NOT_ACCEPTABLE, 'JWT of another issuer');
  return (expires + TOKEN_LEEWAY_SECONDS) * 1000;
}

/** A token without audience is accepted only if no audience is required. */
function checkAudience(audiences: unknown, required: string): void {
  const list = audiences === undefined ? [] : Array.isArray(audiences) ? audiences : [audiences];
  if (!list.every((each) => typeof each === 'string')) {
    throw invalidToken(NOT_ACCEPTABLE, "The JWT 'aud' claim must be a string or an array of strings");
  }
  if (required !== '' && !list.includes(required)) throw invalidToken(NOT_ACCEPTABLE, 'JWT not in audience');
}

/** A token without a role is anonymous, with its claims. Its subject names it, with the issuer if that may be any. */
export function callerOf(claims: Claims, { role: path, issuer }: RequiredClaims): Caller {
  const role = valueAt(claims, path) ?? ANONYMOUS.role;
  if (typeof role !== 'string') throw invalidToken(NOT_ACCEPTABLE, 'The role in the JWT must be a string');
  const { sub, iss } = claims;
  const by = typeof iss === 'string' && issuer === '' ? ` (${printable(iss)})` : '';
  return { role, claims: { ...claims, role }, ...(typeof sub === 'string' ? { name: printable(sub) + by } : {}) };
}

/** Escapes a claim for the log: users may have chosen it. */
function printable(text: string): string {
  return text.slice(0, MAX_ACCOUNT_NAME_LENGTH).replaceAll(/\p{C}/gu, '?');
}

function valueAt(claims: Claims, path: ClaimPath): unknown {
  let value: unknown = claims;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
