/** Finds the name that a mistyped one probably means. */
import { type Sentence, say, type Wording } from './sentence.ts';

/** The candidate with the fewest edits, if at most a third of the name differs and they have something in common. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const lowered = name.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(lowered.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(lowered, candidate.toLowerCase(), bestDistance - 1);
    if (distance < bestDistance && distance < Math.max(lowered.length, candidate.length)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The suggestion, or other advice if no name is near. */
export function suggestName(name: string, candidates: readonly string[], otherwise: Wording): Wording {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? otherwise : say`perhaps you meant ${nearest}`;
}

/** The suggestion at the end of a message; empty if no name is near. */
export function didYouMean(name: string, candidates: readonly string[]): Wording {
  const suggestion = suggestName(name, candidates, '');
  return suggestion && say` (${suggestion})`;
}

export function unknownName(kind: Sentence, name: string, names: readonly string[]): Sentence {
  return say`unknown ${kind} ${name}${didYouMean(name, names)}`;
}

/**
 * The number of edits between two words, if at most `most`; otherwise a larger number. An edit inserts, removes or
 * replaces a letter, or swaps two neighbours.
 */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      let edits = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + (isSame ? 0 : 1));
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwapped) edits = Math.min(edits, before[column - 2]! + 1);
      current.push(edits);
      least = Math.min(least, edits);
    }
    if (least > most) return most + 1;
    before = previous;
    previous = current;
  }
  return previous[other.length]!;
}
