/** Tables that something else made, as a declaration would have them, with what it cannot say in words for people. */
import type { CollectionDraft } from '../collection/draft.ts';
import type { Notes } from '../declare/write.ts';

export interface DescribedCollection extends Notes {
  readonly draft: CollectionDraft;
}

export interface DescribedDatabase {
  /** For people; without secrets. */
  readonly location: string;
  readonly collections: readonly DescribedCollection[];
  /** Tables that cannot be declared, and why. */
  readonly leftOut: readonly string[];
}
