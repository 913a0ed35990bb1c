/** The data that the service embeds into the page: the collections visible to the role, and the session. */
import type { CollectionDraft } from '../../../../collection/draft.ts';

/** Fields of a collection by right: read, create, update; `delete` is empty if the role may not delete rows. */
export interface Rights extends Readonly<Record<'read' | 'create' | 'update' | 'delete', readonly string[]>> {
  /** In `users`: the roles whose users the person manages. */
  readonly manage?: readonly string[];
}

export interface Session {
  readonly by: 'session' | 'token' | 'key' | 'nothing';
  /** Null if the person has to log in. */
  readonly role: string | null;
  readonly name: string | null;
  readonly rights: Readonly<Record<string, Rights>> | null;
}

interface PageData {
  /** The relative path from the page to the root of the service, at page load. */
  readonly root: string;
  readonly collections: readonly CollectionDraft[];
  readonly version: string;
  /** Present if the catalogue has roles. */
  readonly session?: Session;
  /** Collections with fields that the role does not see. */
  readonly partial?: readonly string[];
  /** Whether the log does not say who wrote. */
  readonly hidesActors?: boolean;
  /** Whether the role does not read the log. */
  readonly hidesLog?: boolean;
  /** Whether the person may use all settings. */
  readonly settings?: boolean;
}

const text = globalThis.document?.getElementById('data')?.textContent;

/** Without a page, as in unit tests, the data is empty. */
export const pageData = JSON.parse(text ?? '{"root":".","collections":[],"version":""}') as PageData;

/** The prefix of every path of the service, from the address at page load. A proxy may add one. */
export const base: string = text === undefined ? '' : new URL(pageData.root, location.href).pathname.replace(/\/$/, '');

export const hidesActors: boolean = pageData.hidesActors === true;

/** Then the console shows no history, and lists do not change live. */
export const hidesLog: boolean = pageData.hidesLog === true;

export const hasAllSettings: boolean = pageData.settings === true;

/** The roles that the person may give to users. */
export const managedRoles: readonly string[] = pageData.session?.rights?.users?.manage ?? [];

export const hasSettings: boolean = hasAllSettings || managedRoles.length > 0;
