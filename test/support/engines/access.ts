/**
 * Authentication on a test engine: the session endpoints through `fetch`, and credentials created as the commands
 * create them.
 */
import { createApp } from '../../../src/app.ts';
import { type AccessOptions, type Authentication, openAuthentication } from '../../../src/auth/access.ts';
import { CredentialStore } from '../../../src/auth/store.ts';
import { secretVerifier } from '../../../src/auth/verifiers.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { RuleDraft } from '../../../src/collection/draft.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Peer } from '../../../src/http/call.ts';
import { TrustedProxies } from '../../../src/http/edge/proxies.ts';
import { SERVE_SETTINGS } from '../../../src/settings/by-command.ts';
import { readSettings } from '../settings.ts';
import { ALL_ENGINES } from './catalogue.ts';

export const SECRET = 'a secret that is long enough for anybody';
export const ROLES = ['anonymous', 'editor', 'viewer'];

export interface WithAccess {
  readonly access: Authentication;
  readonly store: CredentialStore;
  readonly engine: Engine;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Returns the caller that the service identifies from these headers. */
  readonly whoIs: (headers: Record<string, string>) => Promise<Response>;
  /** Opens a second instance on the same database. */
  readonly another: (terms?: AccessTerms) => WithAccess;
  readonly close: () => Promise<void>;
}

export interface AccessTerms extends Partial<Omit<AccessOptions, 'engine' | 'settings' | 'catalogue'>> {
  /** Settings in the form of command-line flags. */
  readonly settings?: readonly string[];
  readonly roles?: readonly string[];
  /** The rights of each role; all by default. */
  readonly rules?: readonly RuleDraft[];
}

export async function openWithAccess(engineName: string, terms: AccessTerms = {}): Promise<WithAccess> {
  return accessOn(await ALL_ENGINES[engineName]!(), terms);
}

function accessOn(engine: Engine, terms: AccessTerms): WithAccess {
  const { settings = [], roles = ROLES, rules, ...others } = terms;
  const { draft } = BUILT_IN.catalogue;
  const catalogue = declareCatalogue({
    ...draft,
    roles: roles.map((name) => ({ name, isAll: rules === undefined, rules: rules ?? [] })),
  });
  const access = openAuthentication({
    engine,
    settings: readSettings(SERVE_SETTINGS, settings, {}),
    catalogue,
    verifier: secretVerifier(SECRET),
    proxies: new TrustedProxies(['192.0.2.0/24']),
    ...others,
  });
  const app = createApp({
    catalogue,
    engine,
    identify: access.identify,
    maxBodyBytes: 1024 * 1024,
    allowUnfilteredWrites: false,
    pages: access.pages,
  });
  const fetch = async (path: string, init?: RequestInit) => {
    const request = new Request(`http://catalogue${path}`, init);
    return app.fetch(request, peerOf(request));
  };
  return {
    access,
    store: new CredentialStore(engine),
    engine,
    fetch,
    whoIs: (headers) => fetch('/auth/session', { headers }),
    another: (more = {}) => accessOn(engine, { ...terms, ...more }),
    close: () => engine.close(),
  };
}

/** Returns the peer of a request: a client or a proxy at the address that a test header names. */
function peerOf({ headers }: Request): Peer {
  return {
    address: () => headers.get('test-address') ?? '192.0.2.1',
    isSecure: headers.has('test-tls'),
    atWork: () => undefined,
    drop: () => undefined,
  };
}

let made = 0;

/** Returns a unique name, because other tests use the same tables. */
export function newName(word: string): string {
  return `${word} ${process.pid} ${++made}`;
}

export function bearer(text: string): Record<string, string> {
  return { authorization: `Bearer ${text}` };
}

const FIELDS = BUILT_IN.catalogue.draft.collections[0]!.fields.map(({ name }) => name);
/** The permissions of every role in these tests. */
export const RIGHTS = {
  products: { read: FIELDS, create: FIELDS, update: FIELDS, delete: FIELDS },
  users: { read: [], create: [], update: [], delete: [], manage: ROLES },
};
