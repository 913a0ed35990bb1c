/** Accept-Encoding (RFC 9110, 12.5.3): which content coding a client wants its answer in. */
import { Refusal } from '../errors.ts';
import { MIN_COMPRESSED_LENGTH } from '../limits.ts';

export type Coding = 'zstd' | 'br' | 'gzip';

/** Where the client likes several equally: first the one that takes the least time for what it saves. */
const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip'];

export interface Accepted {
  readonly coding: Coding;
  /** Shorter bodies are sent as they are. */
  readonly from: number;
}

/** Most requests in a row come from the same kind of client. */
let last: { readonly header: string; readonly accepted: Accepted | undefined } = { header: '', accepted: undefined };

/** Undefined where the answer is to be sent as it is. Refuses what no answer could fulfil, so ask before anything is done. */
export function acceptedCoding(header: string | null): Accepted | undefined {
  if (header === null) return undefined;
  if (header !== last.header) last = { header, accepted: negotiate(header) };
  return last.accepted;
}

/** The same for content that exists in some codings only. */
export function acceptedOf(header: string | null, available: readonly Coding[]): Accepted | undefined {
  return header === null ? undefined : negotiate(header, available);
}

function negotiate(header: string, available = CODINGS): Accepted | undefined {
  const weights = weightsOf(header);
  const others = weights.get('*');
  const weightOf = (coding: Coding) => weights.get(coding) ?? others ?? 0;
  // Where nothing is said of it, identity is acceptable, and liked least.
  const identity = weights.get('identity') ?? (others === 0 ? 0 : Number.MIN_VALUE);
  const [best] = available.toSorted((one, other) => weightOf(other) - weightOf(one));
  const weight = weightOf(best!);
  if (weight === 0 && identity === 0) throw notAvailable(header, available);
  if (weight < identity) return undefined;
  return { coding: best!, from: identity === 0 ? 0 : MIN_COMPRESSED_LENGTH };
}

/** `gzip;q=0.5, br`: names and weights. What has no weight that can be read is passed over. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const match = /^\s*([^\s;]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?)\s*)?$/.exec(part);
    // RFC 9110, 8.4.1.3: x-gzip is gzip.
    if (match !== null) weights.set(match[1] === 'x-gzip' ? 'gzip' : match[1]!, Number(match[2] ?? 1));
  }
  return weights;
}

function notAvailable(header: string, available: readonly Coding[]): Refusal {
  return new Refusal('CAT406', `none of these content codings is available: ${header}`, {
    hint: `Accept one of: ${available.join(', ')}, identity.`,
  });
}
