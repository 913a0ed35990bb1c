/** Requests for accounts, roles, backups and the declaration. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Sentence } from '../../../base/sentence.ts';
import type { RoleDraft } from '../../../collection/draft.ts';
import { ask } from '../api/client.ts';
import { problemOf } from '../api/errors.ts';
import { textOf } from '../api/explain.ts';
import { queryClient } from '../api/query-client.ts';

export type Kind = 'users' | 'keys';

export interface Account {
  readonly name: string;
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  /** Present in keys. */
  readonly expires_at?: string | null;
  readonly last_used_at?: string | null;
  /** Present in users. */
  readonly isDisabled?: boolean;
}

export interface Declaration {
  readonly file: string;
  /** Whether the service may change the file. */
  readonly editable: boolean;
  /** Whether the service serves the text of the file. */
  readonly served: boolean;
  readonly version: string;
  readonly text: string;
}

export interface Plan {
  readonly file: string;
  /** The steps of the migration. */
  readonly sentences: readonly Sentence[];
  readonly problems: readonly (Sentence & { readonly allow?: string })[];
  readonly text: string;
}

export type Patch = Readonly<Record<string, unknown>>;

const DECLARATION = '/catalogue/declaration';

/** The list shows a disabled user by a claim, which a change of the claims keeps. */
function withState(account: Account): Account {
  const { disabled, ...claims } = account.claims;
  return { ...account, claims, isDisabled: disabled === true };
}

/**
 * A list of the service, such as `roles`, which may be read again at an interval. After the first answer, such reads do
 * not ask for a login. `refetch` does.
 */
export function useSetting<Data>(path: string, enabled = true, interval: number | false = false) {
  const queryKey = ['settings', path];
  const query = useQuery({
    enabled,
    refetchInterval: ({ state }) => state.data !== undefined && interval,
    queryKey,
    queryFn: async () => {
      const inBackground = interval !== false && queryClient.getQueryData(queryKey) !== undefined;
      return (await ask(`/catalogue/${path}`, { inBackground })).json as Data;
    },
    placeholderData: keepPreviousData,
  });
  return { ...query, refetch: () => queryClient.resetQueries({ queryKey, exact: true }) };
}

export const useRoles = () => useSetting<readonly RoleDraft[]>('roles');

export function useAccounts(kind: Kind) {
  const { data, ...query } = useSetting<readonly Account[]>(`${kind}?order=name`);
  return { ...query, data: kind === 'users' ? data?.map(withState) : data };
}

/** Changes a list of the service, and reads all settings again. */
export async function changeSetting(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: Patch): Promise<unknown> {
  const { json } = await ask(`/catalogue/${path}`, { method, body });
  await queryClient.invalidateQueries({ queryKey: ['settings'] });
  return json;
}

export async function readDeclaration(): Promise<Declaration> {
  const { json, headers } = await ask(DECLARATION);
  return { ...(json as Declaration), version: headers.get('etag') ?? '*' };
}

export function useDeclaration() {
  return useQuery({ queryKey: ['settings', 'declaration'], queryFn: readDeclaration });
}

/** Applies a change of the declaration with the permitted loss of data, or without `allowed`, only plans it. */
export async function changeDeclaration(patch: Patch, version: string, allowed?: readonly string[]): Promise<Plan> {
  const headers = { 'if-match': version, ...(allowed === undefined && { prefer: 'tx=rollback' }) };
  const query = new URLSearchParams((allowed ?? []).map((each) => ['allow', each]));
  return (await ask(`${DECLARATION}?${query}`, { method: 'PATCH', headers, body: patch })).json as Plan;
}

/** A change with its plan and the version of the declaration that it is for. */
export interface PlannedChange {
  readonly patch: Patch;
  readonly version: string;
  /** The text before the change. */
  readonly before: string;
  readonly plan: Plan;
}

export async function planChange(patch: Patch): Promise<PlannedChange> {
  const { version, text } = await readDeclaration();
  return { patch, version, before: text, plan: await changeDeclaration(patch, version) };
}

/** The mistakes of a rejected declaration, by their places. Throws other errors again. */
export function mistakesIn(failure: unknown): Readonly<Record<string, string>> {
  const errors = problemOf(failure)?.errors;
  if (errors === undefined) throw failure;
  return Object.fromEntries(errors.map((each) => [each.field ?? '', textOf(each, 'message') ?? each.message]));
}

const POLL_MS = 400;
/** Old workers close their connections when no request arrives for half a second. */
const POLLS = 3;
/** After a change of the own role, the settings do not answer. */
const MAX_POLLS = 50;

/** Resolves when the new workers alone answer, or after a while. */
export async function untilServed(): Promise<void> {
  for (let polls = 0, served = 0; served < POLLS && polls < MAX_POLLS; polls++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const isServed = await readDeclaration().then(
      (each) => each.served,
      () => false,
    );
    served = isServed ? served + 1 : 0;
  }
}
