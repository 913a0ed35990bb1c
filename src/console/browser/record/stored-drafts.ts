/** Drafts in the browser's storage: what a person typed survives a reload, a login and other pages. */
import type { Value } from '../api/catalogue.ts';
import { session } from '../api/session/session.ts';

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
const placeOf = (name: string): string => `${PREFIX}${session?.name ?? ''} ${name}`;

export function loadDraft(name: string): StoredDraft | undefined {
  try {
    const text = globalThis.localStorage?.getItem(placeOf(name)) ?? null;
    return text === null ? undefined : (JSON.parse(text) as StoredDraft);
  } catch {
    return undefined;
  }
}

/** Stores a draft. A draft without edits is removed. */
export function storeDraft(name: string, draft: StoredDraft): void {
  try {
    if (Object.keys(draft.edits).length === 0) localStorage.removeItem(placeOf(name));
    else localStorage.setItem(placeOf(name), JSON.stringify(draft));
  } catch {
    // The storage is full or disabled. The page itself still holds the text.
  }
}

export function clearDrafts(): void {
  const own = Object.keys(globalThis.localStorage ?? {}).filter((each) => each.startsWith(placeOf('')));
  for (const each of own) localStorage.removeItem(each);
}
