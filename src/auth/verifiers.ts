/**
 * Verifiers of tokens. A secret accepts only HS256, and public keys accept only asymmetric algorithms: the token does not choose
 * the algorithm.
 */
import { type CompactVerifyGetKey, type CompactVerifyResult, compactVerify, errors } from 'jose';
import type { PublicKeys } from './public-keys.ts';

export interface Verifier {
  /** Throws one of jose's errors, or a `ApiError` if no keys are available. */
  verify(token: string): Promise<CompactVerifyResult>;
  /** Changes whenever earlier verifications no longer hold. */
  readonly generation: number;
  /** How long a verification holds, in milliseconds. */
  readonly freshMs: number;
}

const PUBLIC_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

export function secretVerifier(secret: string): Verifier {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify']);
  return {
    verify: async (token) => compactVerify(token, await key, { algorithms: ['HS256'] }),
    generation: 0,
    freshMs: Number.POSITIVE_INFINITY,
  };
}

export function publicKeyVerifier(keys: PublicKeys): Verifier {
  return {
    async verify(token) {
      const known = await keys.current();
      try {
        return await verifyWith(token, known);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        const renewed = await keys.renewed(known);
        if (renewed === known) throw error;
        return verifyWith(token, renewed);
      }
    },
    get generation() {
      return keys.generation;
    },
    freshMs: keys.freshMs,
  };
}

/** A token without a key id may use any key that fits. */
async function verifyWith(token: string, find: CompactVerifyGetKey): Promise<CompactVerifyResult> {
  try {
    return await compactVerify(token, find, { algorithms: PUBLIC_ALGORITHMS });
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await compactVerify(token, key, { algorithms: PUBLIC_ALGORITHMS });
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}
