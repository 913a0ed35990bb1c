/** The lines of a text that a change removes, and those that it adds. */

export interface ChangedLines {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Compares the lines between the first change and the last one. A line that moves within them is not a change. */
export function changedLines(before: string, after: string): ChangedLines {
  const [old, now] = [before, after].map((text) => text.split('\n')) as [string[], string[]];
  const length = Math.min(old.length, now.length);
  let start = 0;
  while (start < length && old[start] === now[start]) start++;
  let end = 0;
  while (end < length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [removed, added] = [old, now].map((lines) => lines.slice(start, lines.length - end)) as [string[], string[]];
  const [earlier, later] = [new Set(removed), new Set(added)];
  return { removed: removed.filter((line) => !later.has(line)), added: added.filter((line) => !earlier.has(line)) };
}
