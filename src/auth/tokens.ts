/** JSON Web Tokens: verified once and cached until they expire, so that a repeated token costs almost nothing. */
import { decodeProtectedHeader, errors } from 'jose';
import { ApiError } from '../base/errors.ts';
import { MAX_CACHED_CREDENTIALS } from '../base/limits/auth.ts';
import { LruCache } from '../base/memo.ts';
import type { Caller } from '../collection/access/caller.ts';
import type { MaybePromise } from '../engine/engine.ts';
import { callerOf, checkClaims, type RequiredClaims, readClaims } from './claims.ts';
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
    // RFC 7797, 7: a JWT must have an encoded payload.
    if (protectedHeader.b64 === false) throw new errors.JOSENotSupported('unencoded payload');
    return payload;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalidToken('PGRST301', messageFor(error, token), {
      cause: error instanceof Error ? error.message : String(error),
    });
  }
}

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
