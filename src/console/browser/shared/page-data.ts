/** What the service has put into the page: the collections as the role sees them, and whose session it is. */
import type { CollectionDraft } from '../../../collection/draft.ts';

/** Of a collection the fields that may be read, given to a new row, changed; and of the rows that may be deleted. */
export type Rights = Readonly<Record<'read' | 'create' | 'update' | 'delete', readonly string[]>>;

export interface Session {
  readonly by: 'session' | 'token' | 'key' | 'nothing';
  /** Null where a person has to log in. */
  readonly role: string | null;
  readonly name: string | null;
  readonly rights: Readonly<Record<string, Rights>> | null;
}

interface PageData {
  readonly collections: readonly CollectionDraft[];
  readonly version: string;
  /** Where the catalogue has roles. */
  readonly session?: Session;
  /** The collections whose rows hold more than the role sees of them, where there are any. */
  readonly partial?: readonly string[];
}

export const pageData = JSON.parse(document.getElementById('data')?.textContent ?? '{}') as PageData;
