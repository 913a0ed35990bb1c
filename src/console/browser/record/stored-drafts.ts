/**
 * Drafts in the storage of the tab: what a person typed survives a reload, a login and other pages. Two tabs have two
 * drafts.
 */

import type { Value } from '../api/catalogue.ts';
import { session } from '../api/session/session.ts';
import { tabStorage } from '../base/storage.ts';

/** A typed text, and the stored value when the person began to type. */
export interface Edit {
  readonly text: string;
  readonly base: Value;
}
export type Edits = Readonly<Record<string, Edit>>;

export interface StoredDraft {
  readonly edits: Edits;
  /** The idempotency key: a new row whose answer was lost is stored once, also after a reload. */
  readonly id: string;
}

const PREFIX = 'catalogue.draft ';

/** Other people of the same browser have drafts of their own. */
const draftKey = (name: string): string => `${PREFIX}${session?.name ?? ''} ${name}`;

export function loadDraft(name: string): StoredDraft | undefined {
  return tabStorage.getJson(draftKey(name)) as StoredDraft | undefined;
}

/** Stores a draft. A draft without edits is removed. */
export function storeDraft(name: string, draft: StoredDraft): void {
  tabStorage.setJson(draftKey(name), Object.keys(draft.edits).length === 0 ? undefined : draft);
}

export function clearDrafts(): void {
  const own = tabStorage.names().filter((each) => each.startsWith(draftKey('')));
  for (const each of own) tabStorage.set(each, undefined);
}
