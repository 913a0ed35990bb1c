/** Sets of IP addresses: single ones, CIDR ranges (RFC 4632), and keywords for non-public ranges. */
import { BlockList, isIP } from 'node:net';
import { plainHost } from './address.ts';

interface Range {
  readonly address: string;
  readonly bits: number;
}

/** RFC 1122, 3.2.1.3; RFC 4291, 2.5.3. RFC 1918, RFC 6598, RFC 3927; RFC 4193, RFC 4291, 2.5.6. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  private: '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 169.254.0.0/16 fc00::/7 fe80::/10'.split(' '),
  none: [],
};
export const RANGE_WORDS = Object.keys(WORDS);

export function parseRange(text: string): readonly Range[] | undefined {
  const words = WORDS[text.trim().toLowerCase()];
  if (words !== undefined) return words.flatMap((each) => parseRange(each)!);
  const [address = '', bits, ...rest] = text.trim().split('/');
  const plain = plainHost(address);
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(plain) as 0 | 4 | 6];
  const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  return rest.length > 0 || length < 0 || length > most ? undefined : [{ address: plain, bits: length }];
}

export class AddressRanges {
  private readonly ranges = new BlockList();

  /** Each text is valid for `parseRange`. */
  constructor(texts: readonly string[]) {
    for (const { address, bits } of texts.flatMap((text) => parseRange(text) ?? [])) {
      this.ranges.addSubnet(address, bits, familyOf(address));
    }
  }

  has(address: string): boolean {
    const plain = plainHost(address);
    return isIP(plain) !== 0 && this.ranges.check(plain, familyOf(plain));
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
