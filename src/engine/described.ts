/** Tables that something else made, as a declaration would have them, with what it cannot say in words for people. */
import type { CollectionDraft } from '../collection/draft.ts';

export interface DescribedCollection {
  readonly draft: CollectionDraft;
  /** What the table has and the declaration does not. */
  readonly notes: readonly string[];
  /** The same of fields, by their names. */
  readonly fieldNotes: ReadonlyMap<string, string>;
}

export interface DescribedDatabase {
  /** For people; without secrets. */
  readonly location: string;
  readonly collections: readonly DescribedCollection[];
  /** Tables that cannot be declared, and why. */
  readonly leftOut: readonly string[];
}

const NAME = /^[a-z][a-z0-9_]*$/;

/** Whether a table or a column can be declared by its name. */
export function isDeclarable(name: string): boolean {
  return NAME.test(name);
}

export const NAME_RULE = 'names are lower case letters, digits and _, and begin with a letter';
