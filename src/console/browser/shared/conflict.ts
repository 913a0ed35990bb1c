/** Two people changed the same field of a row: whoever saves second decides, with both versions in sight. */
import type { Changes } from './api.ts';
import type { Cells, Id } from './collection.ts';

export interface Conflict {
  readonly id: Id;
  /** What this person wanted to store. */
  readonly mine: Changes;
  /** What the form was filled with. */
  readonly base: Cells;
  /** What is stored now. */
  readonly theirs: Cells;
  /** The fields that both have changed, to different values. */
  readonly disputed: readonly string[];
}

/** The changes to store now; undefined goes back to editing. */
export type Decision = Changes | undefined;
type Listener = (conflict: Conflict, decide: (decision: Decision) => void) => void;

let listener: Listener | undefined;

/** The dialog, while it is there to ask. */
export function onConflict(next: Listener): () => void {
  listener = next;
  return () => {
    if (listener === next) listener = undefined;
  };
}

export function askAbout(conflict: Conflict): Promise<Decision> {
  return new Promise((resolve) => {
    if (listener === undefined) resolve(undefined);
    else listener(conflict, resolve);
  });
}
