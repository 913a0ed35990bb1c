/** Selects the content coding by Accept-Encoding (RFC 9110, 12.5.3). */
import { ApiError } from '../base/errors.ts';
import { MIN_COMPRESSED_LENGTH } from '../base/limits/http.ts';
import { memoizeText } from '../base/memo.ts';

export type Coding = 'zstd' | 'br' | 'gzip';

/** In order of preference: the least time for the savings first. */
const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip'];

export interface Accepted {
  readonly coding: Coding;
  /** Shorter bodies are not compressed. */
  readonly from: number;
}

const negotiateAll = memoizeText((header) => ({ accepted: negotiate(header, CODINGS) }));

/** Chooses a coding; undefined for none. Throws if none is acceptable, so the service calls it before any work. */
export function acceptedCoding(header: string | null, available = CODINGS): Accepted | undefined {
  if (header === null) return undefined;
  return available === CODINGS ? negotiateAll(header).accepted : negotiate(header, available);
}

function negotiate(header: string, available: readonly Coding[]): Accepted | undefined {
  const weights = weightsOf(header);
  const others = weights.get('*');
  const weightOf = (coding: Coding) => weights.get(coding) ?? others ?? 0;
  // Unless excluded, identity is acceptable with the lowest preference.
  const identity = weights.get('identity') ?? (others === 0 ? 0 : Number.MIN_VALUE);
  const [best] = available.toSorted((one, other) => weightOf(other) - weightOf(one));
  const weight = weightOf(best!);
  if (weight === 0 && identity === 0) throw notAvailable(header, available);
  if (weight < identity) return undefined;
  return { coding: best!, from: identity === 0 ? 0 : MIN_COMPRESSED_LENGTH };
}

/** Parses `gzip;q=0.5, br`. Items with an invalid weight are ignored. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const match = /^\s*([^\s;]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?)\s*)?$/.exec(part);
    // RFC 9110, 8.4.1.3: x-gzip is gzip.
    if (match !== null) weights.set(match[1] === 'x-gzip' ? 'gzip' : match[1]!, Number(match[2] ?? 1));
  }
  return weights;
}

function notAvailable(header: string, available: readonly Coding[]): ApiError {
  return new ApiError('CAT406', `none of these content codings is available: ${header}`, {
    hint: `Accept one of: ${available.join(', ')}, identity.`,
  });
}
