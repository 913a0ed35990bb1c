/** JSON Web Tokens: verified once and cached until they expire, so that a repeated token costs almost nothing. */
import { decodeProtectedHeader, errors } from 'jose';
import { ApiError, unlessThrown } from '../base/errors.ts';
import { MAX_ACCOUNT_NAME_LENGTH, MAX_CACHED_CREDENTIALS, TOKEN_LEEWAY_SECONDS } from '../base/limits/auth.ts';
import { LruCache } from '../base/memo.ts';
import { ANONYMOUS, type Caller } from '../collection/access/caller.ts';
import { isObject } from '../collection/exact-json.ts';
import type { MaybePromise } from '../engine/engine.ts';
import { claimAt } from '../plan/access/claims.ts';
import type { ClaimPath } from '../settings/access.ts';
import { invalidToken } from './errors.ts';
import { hashOf, KEY_HINT } from './secret-text.ts';
import type { Verifier } from './verifiers.ts';

interface Verified {
  readonly caller: Caller;
  /** When the token expires, in milliseconds since 1970. */
  readonly expires: number;
  readonly keysVersion: number;
}

export class Tokens {
  private readonly cache = new LruCache<Verified>(MAX_CACHED_CREDENTIALS);

  /** Without a verifier, every token is rejected. */
  constructor(
    private readonly verifier: Verifier | undefined,
    private readonly required: RequiredClaims,
    /** Throws if the role is not declared. */
    private readonly checkRole: (caller: Caller) => void,
  ) {}

  callerOf(token: string): MaybePromise<Caller> {
    const { verifier } = this;
    if (verifier === undefined) {
      throw invalidToken('PGRST300', 'Server lacks JWT secret', {
        hint: `Set --jwt-secret or --jwks to accept tokens, or send a key. ${KEY_HINT}`,
      });
    }
    const hash = hashOf(token);
    const cached = this.cache.get(hash);
    if (cached !== undefined && cached.keysVersion === verifier.keysVersion() && Date.now() < cached.expires) {
      return cached.caller;
    }
    return this.verify(verifier, token, hash);
  }

  private async verify(verifier: Verifier, token: string, hash: string): Promise<Caller> {
    const parts = token.split('.').length;
    // A text without dots may be a mistyped key.
    const hint = parts === 1 ? { hint: KEY_HINT } : {};
    if (parts !== 3) throw invalidToken('PGRST301', `Expected 3 parts in JWT; got ${parts}`, hint);
    // Read first: if the keys change during the verification, it runs again.
    const keysVersion = verifier.keysVersion();
    const payload = await signedPayload(verifier, token);
    const claims = readClaims(payload);
    const expires = checkClaims(claims, this.required);
    const { iss = null, sub } = claims;
    // Without a subject, the token itself identifies the caller.
    const identity = `token ${typeof sub === 'string' ? JSON.stringify([iss, sub]) : hash}`;
    const caller = { ...callerOf(claims, this.required), identity };
    this.checkRole(caller);
    if (keysVersion !== undefined) this.cache.set(hash, { caller, expires, keysVersion });
    return caller;
  }
}

async function signedPayload(verifier: Verifier, token: string): Promise<Uint8Array> {
  try {
    const { payload, protectedHeader } = await verifier.verify(token);
    // The library knows one extension, b64, which no JWT may have (RFC 7797, 7).
    if (protectedHeader.crit !== undefined) throw new errors.JOSENotSupported('an extension');
    return payload;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalidToken('PGRST301', messageFor(error, token), {
      hint: error instanceof errors.JWSSignatureVerificationFailed ? WRONG_SIGNATURE : undefined,
      cause: error instanceof Error ? error.message : String(error),
    });
  }
}

const WRONG_SIGNATURE = 'The token is signed with another key than that of --jwt-secret or --jwks.';

/** Any verification error is reported as a fault of the token. */
function messageFor(error: unknown, token: string): string {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'JWT cryptographic operation failed';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'Wrong or unsupported encoding algorithm';
  // RFC 7515, 4.1.11.
  if (error instanceof errors.JOSENotSupported && decodeProtectedHeader(token).crit !== undefined) {
    return 'The JWT demands extensions (crit) that are not supported';
  }
  if (error instanceof errors.JOSENotSupported) return 'Wrong or unsupported encoding algorithm';
  if (error instanceof errors.JWSInvalid) return "JWT couldn't be decoded";
  return 'No suitable key or wrong key type';
}

/** Checks the claims of a verified token and derives its caller. The messages are PostgREST's. */
type Claims = Readonly<Record<string, unknown>>;

interface RequiredClaims {
  /** The required audience and issuer; empty if any is accepted. */
  readonly audience: string;
  readonly issuer: string;
  readonly role: ClaimPath;
  /** The role of a token without one. */
  readonly anonymous?: string;
}

const NOT_ACCEPTABLE = 'PGRST303';

function readClaims(payload: Uint8Array): Claims {
  const claims: unknown = unlessThrown(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)));
  if (isObject(claims)) return claims;
  throw invalidToken(NOT_ACCEPTABLE, 'Parsing claims failed');
}

/** Returns when the token expires, in milliseconds since 1970. */
function checkClaims(claims: Claims, { audience, issuer }: RequiredClaims): number {
  const now = Date.now() / 1000;
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
function callerOf(claims: Claims, { role: path, issuer, anonymous = ANONYMOUS.role }: RequiredClaims): Caller {
  const role = claimAt(claims, path) ?? anonymous;
  if (typeof role !== 'string') throw invalidToken(NOT_ACCEPTABLE, 'The role in the JWT must be a string');
  const { sub, iss } = claims;
  const by = typeof iss === 'string' && issuer === '' ? ` (${printable(iss)})` : '';
  return { role, claims: { ...claims, role }, ...(typeof sub === 'string' ? { name: printable(sub) + by } : {}) };
}

/** Escapes a claim for the log: users may have chosen it. */
function printable(text: string): string {
  return text.slice(0, MAX_ACCOUNT_NAME_LENGTH).replaceAll(/\p{C}/gu, '?');
}
