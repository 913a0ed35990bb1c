/** Signatures of addresses: whoever has such an address may read it until it expires. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `secret` never leaves the service. `expires` is in seconds since 1970. */
export function signatureOf(secret: string, address: string, expires: number): string {
  return createHmac('sha256', secret).update(`${address} ${expires}`).digest('base64url');
}

export function isSigned(secret: string, address: string, expires: number, signature: string): boolean {
  if (!(expires > Date.now() / 1000)) return false;
  const [expected, given] = [Buffer.from(signatureOf(secret, address, expires)), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
