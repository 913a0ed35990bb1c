/** Verifiers of tokens. The kind of key decides the algorithm: HS256 for a secret, asymmetric for public keys. */
import { type CompactVerifyGetKey, type CompactVerifyResult, compactVerify, errors } from 'jose';

export interface Verifier {
  /** Throws one of jose's errors, or an `ApiError` if no keys are available. */
  verify(token: string): Promise<CompactVerifyResult>;
  /** Changes with the keys: a token must be verified again. Undefined while the keys must be loaded first. */
  keysVersion(): number | undefined;
}

const PUBLIC_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

export function secretVerifier(secret: string): Verifier {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify']);
  return {
    verify: async (token) => compactVerify(token, await key, { algorithms: ['HS256'] }),
    keysVersion: () => 0,
  };
}

/** A token without a key id may use any key that fits. */
export async function verifyByPublicKey(token: string, find: CompactVerifyGetKey): Promise<CompactVerifyResult> {
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
