/** The places of words in the fields of a row (postings.ts). Without allocations, since many rows are compared. */
import type { Hits } from './postings.ts';

/** Whether a word is at a position of a field. */
export function isAt(hits: Hits, field: number, position: number): boolean {
  for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
    if (hits[at] !== field) continue;
    let low = at + 3;
    let high = low + hits[at + 2]!;
    const end = high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (hits[middle]! < position) low = middle + 1;
      else high = middle;
    }
    if (low < end && hits[low] === position) return true;
  }
  return false;
}

/** Whether words follow each other in a field. */
export function isSequence([first, ...rest]: readonly Hits[]): boolean {
  for (let at = 0; at < first!.length; at += 3 + first![at + 2]!) {
    for (let nth = at + 3; nth < at + 3 + first![at + 2]!; nth++) {
      if (rest.every((hits, index) => isAt(hits, first![at]!, first![nth]! + index + 1))) return true;
    }
  }
  return false;
}

/** Whether a word follows another in a field. */
export function isFollowed(hits: Hits, others: Hits): boolean {
  for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
    for (let other = 0; other < others.length; other += 3 + others[other + 2]!) {
      if (hits[at] !== others[other]) continue;
      let next = other + 3;
      const end = next + others[other + 2]!;
      for (let nth = at + 3; nth < at + 3 + hits[at + 2]!; nth++) {
        while (next < end && others[next]! <= hits[nth]!) next++;
        if (next < end && others[next] === hits[nth]! + 1) return true;
      }
    }
  }
  return false;
}
