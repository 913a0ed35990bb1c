/** SQLite takes no function with more than 1,000 arguments and no expression deeper than that: of many parts, groups are joined. */

const MOST = 100;

/** `group` makes one part of several. */
export function joined(parts: readonly string[], joiner: string, group: (list: string) => string): string {
  if (parts.length <= MOST) return parts.join(joiner);
  const groups = Array.from({ length: Math.ceil(parts.length / MOST) }, (_, index) => {
    return group(parts.slice(index * MOST, (index + 1) * MOST).join(joiner));
  });
  return joined(groups, joiner, group);
}

export function inParentheses(list: string): string {
  return `(${list})`;
}

/** Where each part is found, where the groups are arrays of JSON. */
export function pathTo(index: number, parts: number): string {
  return parts <= MOST ? `$[${index}]` : `$[${Math.floor(index / MOST)}][${index % MOST}]`;
}
