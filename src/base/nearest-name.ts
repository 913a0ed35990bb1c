/** Finds the name that a mistyped one probably means. */

/** The candidate with the fewest edits, if at most a third of the name differs and they have something in common. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const lowered = name.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(lowered.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(lowered, candidate.toLowerCase());
    if (distance < bestDistance && distance < Math.max(lowered.length, candidate.length)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The suggestion, or other advice if no name is near. */
export function suggestName(name: string, candidates: readonly string[], otherwise: string): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? otherwise : `perhaps you meant ${nearest}`;
}

/** The suggestion at the end of a message; empty if no name is near. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const suggestion = suggestName(name, candidates, '');
  return suggestion && ` (${suggestion})`;
}

export function unknownName(kind: string, name: string, names: readonly string[]): string {
  return `unknown ${kind} ${name}${didYouMean(name, names)}`;
}

/** Insertions, deletions, replacements and swaps: `titel` is one edit from `title`. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const substitution = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isExchange = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const exchange = isExchange ? beforePrevious[column - 2]! + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(substitution, previous[column]! + 1, current[column - 1]! + 1, exchange));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length]!;
}
