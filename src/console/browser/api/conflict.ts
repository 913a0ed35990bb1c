/**
 * A conflict: two people changed the same field of a row. The person who saves second sees both versions and decides.
 */
import type { Collection, Row } from './catalogue.ts';

export interface Conflict {
  readonly collection: Collection;
  /** The changes of this person. */
  readonly mine: Row;
  /** The values when the edit began. */
  readonly base: Row;
  /** The stored values. */
  readonly theirs: Row;
  /** Fields that both people changed to different values. */
  readonly disputed: readonly string[];
}

/** The changes to save; undefined to go back to editing. */
export type Decision = Row | undefined;
type Listener = (conflict: Conflict, decide: (decision: Decision) => void) => void;

let listener: Listener | undefined;
/** Conflicts that wait until the code of the dialog is loaded. */
const waiting: Parameters<Listener>[] = [];

/** Registers the dialog while it is mounted. */
export function onConflict(next: Listener): () => void {
  listener = next;
  for (const each of waiting.splice(0)) next(...each);
  return () => {
    if (listener === next) listener = undefined;
  };
}

export function askForDecision(conflict: Conflict): Promise<Decision> {
  return new Promise((resolve) => {
    if (listener === undefined) waiting.push([conflict, resolve]);
    else listener(conflict, resolve);
  });
}
