/**
 * An address that a key signed: `/rpc/feed?key=NAME&expires=…&signature=…`. It gives the rights of the key for this one
 * address, until it expires or the key is revoked.
 */
import { decode } from '../base/net/query-string.ts';

export interface SignedAddress {
  /** Path and query without the signature. */
  readonly address: string;
  readonly keyName: string;
  /** In seconds since 1970. */
  readonly expires: number;
  readonly signature: string;
}

/**
 * A field or parameter of one of these names is not followed by the others. Parameters after the signature change the
 * address, so it is invalid.
 */
const SIGNED = /[?&]key=([^&]+)&expires=(\d{1,12})&signature=([\w-]*)(?:&(.*))?$/;

/** Undefined if the path and query are not signed. */
export function readSigned(path: string): SignedAddress | undefined {
  if (!path.includes('&signature=')) return undefined;
  const [whole, name, expires, signature, added] = SIGNED.exec(path) ?? [];
  if (whole === undefined) return undefined;
  const address = path.slice(0, -whole.length);
  return {
    address: added === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}${added}`,
    keyName: decode(name!),
    expires: Number(expires),
    signature: signature!,
  };
}

export function printSigned({ address, keyName, expires, signature }: SignedAddress): string {
  const mark = address.includes('?') ? '&' : '?';
  return `${address}${mark}key=${encodeURIComponent(keyName)}&expires=${expires}&signature=${signature}`;
}
