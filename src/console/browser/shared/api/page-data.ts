/** The data that the service embeds into the page: the collections visible to the role, and the session. */
import type { CollectionDraft } from '../../../../collection/draft.ts';

/** Fields of a collection by right: read, create, update; `delete` is empty if the role may not delete rows. */
export type Rights = Readonly<Record<'read' | 'create' | 'update' | 'delete', readonly string[]>>;

export interface Session {
  readonly by: 'session' | 'token' | 'key' | 'nothing';
  /** Null if the person has to log in. */
  readonly role: string | null;
  readonly name: string | null;
  readonly rights: Readonly<Record<string, Rights>> | null;
}

interface PageData {
  readonly collections: readonly CollectionDraft[];
  readonly version: string;
  /** Present if the catalogue has roles. */
  readonly session?: Session;
  /** Collections with fields that the role does not see. */
  readonly partial?: readonly string[];
}

export const pageData = JSON.parse(document.getElementById('data')?.textContent ?? '{}') as PageData;
