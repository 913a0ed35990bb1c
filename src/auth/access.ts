/**
 * Authentication by a token, a key, a login session, or as anonymous. `identify` authenticates each request to a
 * catalogue with roles, and answers synchronously from its cache. `pages` are the login and logout endpoints.
 */

import { ApiError } from '../base/errors.ts';
import { counter, type Metric } from '../base/metric.ts';
import { ANONYMOUS, type Caller } from '../collection/access/caller.ts';
import {
  lookalikeRole,
  rolesWithoutLog,
  similarToAnonymous,
  undeclaredRoles,
} from '../collection/access/role-warnings.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { Engine, MaybePromise } from '../engine/engine.ts';
import type { Call } from '../http/call.ts';
import { requireSameOrigin } from '../http/edge/origins.ts';
import type { TrustedProxies } from '../http/edge/proxies.ts';
import type { Pages } from '../http/pages.ts';
import { printSigned } from '../http/signed-address.ts';
import type { Audit, Resources } from '../response/own-resources.ts';
import { claimPath } from '../settings/access.ts';
import { ConfigError, type ServeSettings } from '../settings/by-command.ts';
import { AccountLog } from './account-log.ts';
import { accountRequests } from './account-requests.ts';
import { credentialsNeeded, noSuchRole } from './errors.ts';
import { keyCache, signedCache } from './keys.ts';
import { openPublicKeys } from './public-keys.ts';
import { type CookieScope, credentialsOf, type RequestCredentials, sessionCookie } from './request-credentials.ts';
import { rightsOf } from './rights.ts';
import { type Account, type Counts, NOBODY, sessionPages } from './session-pages.ts';
import { CredentialStore } from './store.ts';
import { Tokens } from './tokens.ts';
import { Users } from './users.ts';
import { secretVerifier, type Verifier } from './verifiers.ts';

export interface AccessOptions {
  readonly engine: Engine;
  readonly settings: Pick<ServeSettings, 'jwtAudience' | 'jwtIssuer' | 'jwtRoleClaim' | 'sessionHours'>;
  /** A catalogue with roles. */
  readonly catalogue: Catalogue;
  /** The proxies whose forwarding headers are trusted. */
  readonly proxies: TrustedProxies;
  /** Verifies tokens; if undefined, every token is rejected. */
  readonly verifier: Verifier | undefined;
  /** Records changes of users and keys. */
  readonly audit?: Audit;
}

export interface Authentication {
  /** Throws an `ApiError`, or rejects with one, if the credentials are invalid. */
  readonly identify: (call: Call) => MaybePromise<Caller>;
  /** The account behind the session of a page request; nobody's if the session has ended. */
  readonly accountOf: (call: Call) => Promise<Account>;
  readonly pages: Pages;
  /** Users, keys and roles, for callers with every right. */
  readonly resources: Resources;
  /** Warnings: keys and users with an undeclared role, a role that nobody can have, roles that cannot read the log. */
  warnings(): Promise<readonly string[]>;
  metrics(): readonly Metric[];
}

export function openAuthentication(options: AccessOptions): Authentication {
  const { engine, settings, catalogue, verifier, proxies } = options;
  const roles = new Set(catalogue.roles?.keys() ?? []);
  const lookalike = lookalikeRole(catalogue.roles ?? new Map());
  const store = new CredentialStore(engine);
  const check = (code: 'PGRST303' | 'CAT401') => (caller: Caller) => {
    if (roles.has(caller.role)) return;
    throw caller.role === ANONYMOUS.role ? credentialsNeeded(lookalike) : noSuchRole(code, caller.role);
  };
  const { jwtAudience: audience, jwtIssuer: issuer, jwtRoleClaim } = settings;
  const required = { audience, issuer, role: claimPath(jwtRoleClaim)! };
  const tokens = new Tokens(verifier, required, check('PGRST303'));
  const log = new AccountLog(store);
  const keys = keyCache(store, check('CAT401'), log);
  const signed = signedCache(store, check('CAT401'), log);
  const users = new Users(store, settings.sessionHours * 3_600, check('CAT401'), log);
  const account = (by: Account['by'], caller: Caller): Account => {
    return { by, role: caller.role, name: caller.name ?? null, rights: rightsOf(catalogue, caller) };
  };
  const counts: Counts = { rejected: 0, logins: 0, rejectedLogins: 0 };

  const cookieScope = (call: Call): CookieScope => ({
    isSecure: proxies.isSecure(call),
    prefix: call.location.prefix,
  });

  function callerOf(credentials: RequestCredentials | undefined, call: Call): MaybePromise<Caller> {
    if (call.signed !== undefined) {
      if (call.preferences['as-of'] !== undefined) {
        throw new ApiError('PGRST127', 'a signed address does not support Prefer: as-of', {
          hint: 'Read earlier rows with a key or a token in Authorization.',
        });
      }
      return signed.callerOf(printSigned(call.signed));
    }
    switch (credentials?.kind) {
      case undefined:
        check('CAT401')(ANONYMOUS);
        return ANONYMOUS;
      case 'token':
        return tokens.callerOf(credentials.text);
      case 'key':
        return keys.callerOf(credentials.text);
      case 'session':
        if (!call.isRead && call.method !== 'OPTIONS') requireSameOrigin(call, proxies);
        return users.callerOf(credentials.text);
    }
  }

  function reject(error: unknown, call: Call): never {
    if (!(error instanceof ApiError)) throw error;
    if (error.status < 500) counts.rejected++;
    if (error.code !== 'CAT401') throw error;
    // The browser deletes the cookie of an ended session.
    throw error.with({ headers: { ...error.headers, 'set-cookie': sessionCookie(cookieScope(call)) } });
  }

  function identify(call: Call): MaybePromise<Caller> {
    try {
      const credentials = credentialsOf(call, cookieScope);
      const caller = callerOf(credentials, call);
      return caller instanceof Promise ? caller.catch((error) => reject(error, call)) : caller;
    } catch (error) {
      return reject(error, call);
    }
  }

  async function accountOf(call: Call): Promise<Account> {
    try {
      const credentials = credentialsOf(call, cookieScope);
      const caller = await callerOf(credentials, call);
      return account(credentials?.kind ?? 'nothing', caller);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return NOBODY;
      throw error;
    }
  }

  return {
    identify,
    accountOf,
    pages: sessionPages({ identify, users, counts, roles, proxies, cookieScope, account }),
    resources: accountRequests(engine, catalogue, options.audit ?? (() => undefined)),
    // A store of its own: after a failed lookup it waits before the next, and requests must not wait with it.
    warnings: async () => {
      const unread = engine.log && rolesWithoutLog(catalogue);
      const others = await warningsOf(new CredentialStore(engine), catalogue, verifier !== undefined);
      return unread === undefined ? others : [...others, unread];
    },
    metrics: () => metricsOf(counts),
  };
}

/** Throws a `ConfigError` if the settings contradict each other, or the file of public keys is invalid. */
export async function openVerifier(
  { jwtSecret, jwks }: Pick<ServeSettings, 'jwtSecret' | 'jwks'>,
  notice: (message: string) => void,
): Promise<Verifier | undefined> {
  if (jwtSecret !== '' && jwks !== '') throw new ConfigError('use only one of --jwt-secret and --jwks');
  if (jwtSecret !== '') return secretVerifier(jwtSecret);
  return jwks === '' ? undefined : openPublicKeys(jwks, notice);
}

async function warningsOf(
  store: CredentialStore,
  { roles = new Map() }: Catalogue,
  hasTokens: boolean,
): Promise<readonly string[]> {
  try {
    const holders = { keys: await store.keys.all(), users: await store.users.all() };
    const undeclared = undeclaredRoles(holders, roles);
    // A token may name any role.
    const warnings = [undeclared && `credentials are ${undeclared}`, !hasTokens && similarToAnonymous(roles, holders)];
    return warnings.filter((warning) => typeof warning === 'string');
  } catch {
    // The service also starts while the database is down.
    return [];
  }
}

function metricsOf({ rejected, logins, rejectedLogins }: Counts): readonly Metric[] {
  const refused = 'Requests rejected for their token, key or session, or for having none.';
  return [
    counter('credentials_refused_total', refused, rejected),
    counter('logins_total', 'People who have logged in.', logins),
    counter('logins_refused_total', 'Attempts to log in that were rejected, or came too soon.', rejectedLogins),
  ];
}
