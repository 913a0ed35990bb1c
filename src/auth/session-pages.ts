/** The endpoints `/auth/login`, `/auth/logout`, `/auth/password` and `/auth/session`, over JSON. */

import { ApiError } from '../base/errors.ts';
import { MAX_LOGIN_BYTES } from '../base/limits/auth.ts';
import { ANONYMOUS, type Caller } from '../collection/access/caller.ts';
import type { MaybePromise } from '../engine/engine.ts';
import { BodyReceiver } from '../http/body/body-receiver.ts';
import { objectIn } from '../http/body/parse-body.ts';
import type { Call } from '../http/call.ts';
import { requireSameOrigin } from '../http/edge/origins.ts';
import type { TrustedProxies } from '../http/edge/proxies.ts';
import { type PageContext, type Pages, postOnly, readOnly } from '../http/pages.ts';
import type { LoginOrigin } from './account-log.ts';
import {
  type CookieScope,
  credentialsOf,
  type RequestCredentials,
  requestSession,
  sessionCookie,
} from './request-credentials.ts';
import type { Rights } from './rights.ts';
import type { StartedSession, Users } from './users.ts';

export const AUTH_PATH = '/auth';

/** Counters for the metrics. */
export interface Counts {
  rejected: number;
  logins: number;
  rejectedLogins: number;
}

/** The caller as pages see it. */
export interface Account {
  readonly by: RequestCredentials['kind'] | 'nothing';
  /** Null if credentials are required and no valid ones were sent. */
  readonly role: string | null;
  readonly name: string | null;
  readonly rights: Rights | null;
}

export const NOBODY: Account = { by: 'nothing', role: null, name: null, rights: null };

interface SessionOptions {
  readonly identify: (call: Call) => MaybePromise<Caller>;
  readonly users: Users;
  readonly counts: Counts;
  readonly roles: ReadonlySet<string>;
  readonly proxies: TrustedProxies;
  readonly cookieScope: (call: Call) => CookieScope;
  readonly account: (by: Account['by'], caller: Caller) => Account;
}

type Page = (context: PageContext) => Promise<Response>;

/**
 * The browser keeps the cookie longer than the service keeps the session. Without the cookie, the requests of an open
 * page would become those of a visitor, and no 401 would say so.
 */
const COOKIE_SECONDS_MORE = 86_400;
const NO_STORE = { 'cache-control': 'no-store' };

export function sessionPages(options: SessionOptions): Pages {
  const { identify, users, counts, roles, proxies, cookieScope, account } = options;
  const bodies = new BodyReceiver(MAX_LOGIN_BYTES);

  /** Reads the cookie even if other credentials are sent: the browser must delete it. */
  const sessionOf = (call: Call): RequestCredentials | undefined => requestSession(call, cookieScope);

  const originOf = (call: Call): LoginOrigin => ({
    address: proxies.clientOf(call) ?? '',
    device: call.userAgent ?? '',
  });

  /** Ends the session that came with the request, so that a planted session is not continued. */
  async function start(started: StartedSession, context: PageContext): Promise<Response> {
    const { call } = context;
    const previous = sessionOf(call);
    if (previous !== undefined) await users.logout(previous.text);
    context.caller = started.caller;
    const cookie = sessionCookie(cookieScope(call), started.text, users.sessionSeconds + COOKIE_SECONDS_MORE);
    const body = { ...account('session', started.caller), expires_at: started.expires.toISOString() };
    return Response.json(body, { headers: { ...NO_STORE, 'set-cookie': cookie } });
  }

  const login: Page = async (context) => {
    const { call } = context;
    // A page of another site must not log a user in as someone else.
    if ((call.origin ?? call.fetchSite) !== null) requireSameOrigin(call, proxies);
    const { name, password } = await fieldsOf(bodies, call, 'name', 'password');
    try {
      const started = await users.login(name, password, originOf(call));
      counts.logins++;
      return await start(started, context);
    } catch (error) {
      if (error instanceof ApiError) counts.rejectedLogins++;
      throw error;
    }
  };

  const logout: Page = async (context) => {
    const { call } = context;
    const session = sessionOf(call);
    if (session !== undefined) {
      requireSameOrigin(call, proxies);
      // The user of the session, if it has not ended already.
      context.caller = await Promise.try(() => users.callerOf(session.text)).catch(() => undefined);
      await users.logout(session.text);
    }
    const cookie = sessionCookie(cookieScope(call));
    return new Response(null, { status: 204, headers: { ...NO_STORE, 'set-cookie': cookie } });
  };

  const changePassword: Page = async (context) => {
    const { call } = context;
    const session = sessionOf(call);
    if (session === undefined) {
      throw new ApiError('PGRST302', 'only a logged-in user can change a password', {
        hint: 'Log in first. catalogue user password NAME changes it without knowing the old one.',
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    // Only the session counts here: other credentials may belong to someone else.
    requireSameOrigin(call, proxies);
    const caller = await users.callerOf(session.text);
    context.caller = caller;
    const { current, password } = await fieldsOf(bodies, call, 'current', 'password');
    const started = await users.changePassword(caller.name!, current, password, originOf(call));
    return start(started, context);
  };

  /** The caller; nobody if no credentials were sent and anonymous access is disabled. */
  const session: Page = async (context) => {
    const { call } = context;
    const credentials = credentialsOf(call, cookieScope);
    if (credentials === undefined && !roles.has(ANONYMOUS.role)) return Response.json(NOBODY, { headers: NO_STORE });
    context.caller = await identify(call);
    return Response.json(account(credentials?.kind ?? 'nothing', context.caller), { headers: NO_STORE });
  };

  const posts: Readonly<Record<string, Page>> = {
    [`${AUTH_PATH}/login`]: login,
    [`${AUTH_PATH}/logout`]: logout,
    [`${AUTH_PATH}/password`]: changePassword,
  };

  return (path, context) => {
    const { call } = context;
    if (path === `${AUTH_PATH}/session`) return readOnly(call, () => session(context));
    const post = Object.hasOwn(posts, path) ? posts[path] : undefined;
    return post && postOnly(call, () => post(context));
  };
}

/** Reads texts from a JSON body. An error does not repeat the body, which may contain a password. */
async function fieldsOf<Name extends string>(
  bodies: BodyReceiver,
  call: Call,
  ...names: readonly Name[]
): Promise<Record<Name, string>> {
  const form = `JSON with ${names.join(' and ')}, each a text`;
  const example = `{${names.map((name) => `"${name}":"…"`).join(',')}}`;
  const hint = `Send ${example} with Content-Type: application/json.`;
  const fields = await objectIn(bodies, call, form, hint);
  const isJson = (call.contentType ?? '').split(';', 1)[0]!.trim().toLowerCase() === 'application/json';
  if (isJson && names.every((name) => typeof fields[name] === 'string')) return fields as Record<Name, string>;
  throw new ApiError('PGRST102', `the body must be ${form}`, { hint });
}
