/** The lines of a text that a change removes, and those that it adds. */

export interface ChangedLines {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Keeps a longest common subsequence of the lines. A line that moves is removed and added. */
export function changedLines(before: string, after: string): ChangedLines {
  const [old, now] = differingPart(before.split('\n'), after.split('\n'));
  const lengths = commonLengths(old, now);
  const [removed, added]: [string[], string[]] = [[], []];
  let [x, y] = [0, 0];
  while (x < old.length && y < now.length) {
    if (old[x] === now[y]) [x, y] = [x + 1, y + 1];
    else if (lengths[x + 1]![y]! >= lengths[x]![y + 1]!) removed.push(old[x++]!);
    else added.push(now[y++]!);
  }
  return { removed: [...removed, ...old.slice(x)], added: [...added, ...now.slice(y)] };
}

/** The lines between the first change and the last one. */
function differingPart(old: readonly string[], now: readonly string[]) {
  const length = Math.min(old.length, now.length);
  let start = 0;
  while (start < length && old[start] === now[start]) start++;
  let end = 0;
  while (end < length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return [old.slice(start, old.length - end), now.slice(start, now.length - end)] as const;
}

/** The length of the longest common subsequence of the lines from `x` and the lines from `y`, as `[x][y]`. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let x = old.length - 1; x >= 0; x--) {
    const [row, next] = [lengths[x]!, lengths[x + 1]!];
    for (let y = now.length - 1; y >= 0; y--)
      row[y] = old[x] === now[y] ? next[y + 1]! + 1 : Math.max(next[y]!, row[y + 1]!);
  }
  return lengths;
}
