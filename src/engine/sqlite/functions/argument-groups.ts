/** Joins SQL parts in nested groups, since SQLite limits functions to 1,000 arguments and expressions to that depth. */
import { Database } from 'bun:sqlite';
import { lazy } from '../../../base/memo.ts';

const MOST = 100;

/** `group` combines several parts into one. */
export function joinInGroups(parts: readonly string[], joiner: string, group = inParentheses): string {
  if (parts.length <= MOST) return parts.join(joiner);
  const groups = Array.from({ length: Math.ceil(parts.length / MOST) }, (_, index) => {
    return group(parts.slice(index * MOST, (index + 1) * MOST).join(joiner));
  });
  return joinInGroups(groups, joiner, group);
}

export function inParentheses(list: string): string {
  return `(${list})`;
}

/** The SQLite that Bun uses on macOS is that of the system, which may not have concat(). */
const functions = lazy(() => {
  using db = new Database(':memory:');
  return { hasConcat: db.prepare("select 1 from pragma_function_list where name = 'concat'").values().length > 0 };
});

/** Joins texts that are not null. concat() makes one text, while each `||` copies all before it. */
export function joinTexts(texts: readonly string[], { hasConcat } = functions()): string {
  return hasConcat ? concat(joinInGroups(texts, ', ', concat)) : inParentheses(joinInGroups(texts, ' || '));
}

function concat(list: string): string {
  return `concat(${list})`;
}

/** The condition of a trigger that one of these quoted columns changed. */
export function anyChanged(columns: readonly string[]): string {
  return joinInGroups(
    columns.map((column) => `old.${column} is not new.${column}`),
    ' or ',
  );
}

/** The JSON path of a part if groups are JSON arrays. */
export function pathTo(index: number, parts: number): string {
  return parts <= MOST ? `$[${index}]` : `$[${Math.floor(index / MOST)}][${index % MOST}]`;
}
