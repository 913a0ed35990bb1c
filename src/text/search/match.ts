/**
 * Tests whether a text matches a query, like PostgreSQL's `@@`.
 *
 * Outside phrases this is plain logic. Within a phrase, every part returns the positions of its last word where it
 * matches; a negation returns the positions where it does not match.
 */
import type { Lexeme } from './lexemes.ts';
import type { Query } from './query.ts';
import type { Spend } from './tokens.ts';

/** The lexemes of a text, each with its positions in ascending order. */
type SearchVector = ReadonlyMap<string, readonly number[]>;

/** PostgreSQL's limits: later positions count as the last one, and a lexeme keeps only its first positions. */
const LAST_POSITION = 16383;
const MAX_POSITIONS = 255;

export function vectorOf(lexemes: Iterable<Lexeme>): SearchVector {
  const vector = new Map<string, number[]>();
  for (const { text, position } of lexemes) {
    const place = Math.min(position, LAST_POSITION);
    const places = vector.get(text);
    if (!places) vector.set(text, [place]);
    else if (places.length < MAX_POSITIONS && places.at(-1) !== place) places.push(place);
  }
  return vector;
}

export function matches(query: Query, vector: SearchVector, spend: Spend): boolean {
  switch (query.kind) {
    case 'lexeme':
      return positionsOf(query, vector, spend).length > 0;
    case 'not':
      return !matches(query.of, vector, spend);
    case 'and':
      return matches(query.left, vector, spend) && matches(query.right, vector, spend);
    case 'or':
      return matches(query.left, vector, spend) || matches(query.right, vector, spend);
    case 'phrase':
      return isMatch(places(query, vector, spend));
  }
}

/** Where a part of a phrase matches: at `ends`, or everywhere else. `width` is its number of words minus one. */
interface Places {
  readonly ends: readonly number[];
  readonly except: boolean;
  readonly width: number;
}

const NOWHERE: Places = { ends: [], except: false, width: 0 };

function isMatch(found: Places): boolean {
  return found.except || found.ends.length > 0;
}

function places(query: Query, vector: SearchVector, spend: Spend): Places {
  switch (query.kind) {
    case 'lexeme':
      return { ends: positionsOf(query, vector, spend), except: false, width: 0 };
    case 'not': {
      const operand = places(query.of, vector, spend);
      return { ...operand, except: !operand.except };
    }
    case 'or': {
      const [left, right] = [places(query.left, vector, spend), places(query.right, vector, spend)];
      return either(isMatch(left) ? left : NOWHERE, isMatch(right) ? right : NOWHERE);
    }
    case 'and':
    case 'phrase': {
      const left = places(query.left, vector, spend);
      if (!isMatch(left)) return NOWHERE;
      const right = places(query.right, vector, spend);
      if (!isMatch(right)) return NOWHERE;
      if (query.kind === 'and') return both(...aligned(left, right));
      const width = left.width + query.distance + right.width;
      return both({ ...shifted(left, query.distance + right.width), width }, { ...right, width });
    }
  }
}

/** Shifts the narrower of two parts so that both end at the same position. */
function aligned(left: Places, right: Places): [Places, Places] {
  const width = Math.max(left.width, right.width);
  return [
    { ...shifted(left, width - left.width), width },
    { ...shifted(right, width - right.width), width },
  ];
}

function shifted(found: Places, by: number): Places {
  return by === 0 ? found : { ...found, ends: found.ends.map((end) => end + by) };
}

/** Both parts at the same position, if their widths agree. */
function both(left: Places, right: Places): Places {
  const { width } = left;
  if (left.except && right.except) return { ends: union(left.ends, right.ends), except: true, width };
  if (left.except) return { ends: difference(right.ends, left.ends), except: false, width };
  if (right.except) return { ends: difference(left.ends, right.ends), except: false, width };
  return { ends: intersection(left.ends, right.ends), except: false, width };
}

/** Either part, by De Morgan's law. */
function either(left: Places, right: Places): Places {
  const [a, b] = aligned(left, right);
  const neither = both({ ...a, except: !a.except }, { ...b, except: !b.except });
  return { ...neither, except: !neither.except };
}

function positionsOf(query: Extract<Query, { kind: 'lexeme' }>, vector: SearchVector, spend: Spend): readonly number[] {
  // Every word of a text has the weight D here, so a query for other weights finds nothing.
  if (query.weights !== '' && !query.weights.includes('d')) return [];
  if (!query.prefix) return vector.get(query.text) ?? [];
  spend(vector.size);
  const allPositions: number[] = [];
  for (const [lexeme, positions] of vector) if (lexeme.startsWith(query.text)) allPositions.push(...positions);
  return union(allPositions, []);
}

function union(left: readonly number[], right: readonly number[]): number[] {
  return [...new Set([...left, ...right])].sort((a, b) => a - b);
}

function intersection(left: readonly number[], right: readonly number[]): number[] {
  const other = new Set(right);
  return left.filter((place) => other.has(place));
}

function difference(left: readonly number[], right: readonly number[]): number[] {
  const other = new Set(right);
  return left.filter((place) => !other.has(place));
}
