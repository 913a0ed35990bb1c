/** The endpoints `/auth/login`, `/auth/logout`, `/auth/password` and `/auth/session`, over JSON. */

import { ApiError } from '../base/errors.ts';
import { MAX_LOGIN_BYTES } from '../base/limits/auth.ts';
import { ANONYMOUS, type Caller } from '../collection/access/caller.ts';
import type { MaybePromise } from '../engine/engine.ts';
import { BodyReceiver } from '../http/body/body-receiver.ts';
import type { TrustedProxies } from '../http/edge/proxies.ts';
import { type PageContext, type Pages, postOnly, readOnly } from '../http/pages.ts';
import { credentialsOf, type RequestCredentials, requestSession } from './request-credentials.ts';
import type { Rights } from './rights.ts';
import { requireSameOrigin } from './same-origin.ts';
import { type CookieScope, sessionCookie } from './session-cookie.ts';
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
  readonly identify: (request: Request, context: PageContext) => MaybePromise<Caller>;
  readonly users: Users;
  readonly counts: Counts;
  readonly roles: ReadonlySet<string>;
  readonly proxies: TrustedProxies;
  readonly cookieScope: (request: Request, context: PageContext) => CookieScope;
  readonly account: (by: Account['by'], caller: Caller) => Account;
}

type Page = (request: Request, context: PageContext) => Promise<Response>;

const NO_STORE = { 'cache-control': 'no-store' };

export function sessionPages(options: SessionOptions): Pages {
  const { identify, users, counts, roles, proxies, cookieScope, account } = options;
  const bodies = new BodyReceiver(MAX_LOGIN_BYTES);

  /** Reads the cookie even if other credentials are sent: the browser must delete it. */
  const sessionOf = (request: Request, context: PageContext): RequestCredentials | undefined =>
    requestSession(request.headers, () => cookieScope(request, context));

  const addressOf = (request: Request, { peer }: PageContext): string => proxies.clientOf(request, peer) ?? '';

  /** Ends the session that came with the request, so that a planted session is not continued. */
  async function start(started: StartedSession, request: Request, context: PageContext): Promise<Response> {
    const previous = sessionOf(request, context);
    if (previous !== undefined) await users.logout(previous.text);
    context.caller = started.caller;
    const seconds = Math.round((started.expires.getTime() - Date.now()) / 1000);
    const cookie = sessionCookie(cookieScope(request, context), started.text, seconds);
    const body = { ...account('session', started.caller), expires_at: started.expires.toISOString() };
    return Response.json(body, { headers: { ...NO_STORE, 'set-cookie': cookie } });
  }

  const login: Page = async (request, context) => {
    // A page of another site must not log a user in as someone else.
    const isFromPage = request.headers.has('origin') || request.headers.has('sec-fetch-site');
    if (isFromPage) requireSameOrigin(request, context.peer, proxies);
    const { name, password } = await fieldsOf(bodies, request, 'name', 'password');
    try {
      const started = await users.login(name, password, addressOf(request, context));
      counts.logins++;
      return await start(started, request, context);
    } catch (error) {
      if (error instanceof ApiError) counts.rejectedLogins++;
      throw error;
    }
  };

  const logout: Page = async (request, context) => {
    const session = sessionOf(request, context);
    if (session !== undefined) {
      requireSameOrigin(request, context.peer, proxies);
      // The user of the session, if it has not ended already.
      context.caller = await Promise.try(() => users.callerOf(session.text)).catch(() => undefined);
      await users.logout(session.text);
    }
    const cookie = sessionCookie(cookieScope(request, context));
    return new Response(null, { status: 204, headers: { ...NO_STORE, 'set-cookie': cookie } });
  };

  const changePassword: Page = async (request, context) => {
    const session = sessionOf(request, context);
    if (session === undefined) {
      throw new ApiError('PGRST302', 'only a logged-in user can change a password', {
        hint: 'Log in first. catalogue user password NAME changes it without knowing the old one.',
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    // Only the session counts here: other credentials may belong to someone else.
    requireSameOrigin(request, context.peer, proxies);
    const caller = await users.callerOf(session.text);
    context.caller = caller;
    const { current, password } = await fieldsOf(bodies, request, 'current', 'password');
    const started = await users.changePassword(caller.name!, current, password, addressOf(request, context));
    return start(started, request, context);
  };

  /** The caller; nobody if no credentials were sent and anonymous access is disabled. */
  const session: Page = async (request, context) => {
    const credentials = credentialsOf(request.headers, () => cookieScope(request, context));
    if (credentials === undefined && !roles.has(ANONYMOUS.role)) return Response.json(NOBODY, { headers: NO_STORE });
    context.caller = await identify(request, context);
    return Response.json(account(credentials?.kind ?? 'nothing', context.caller), { headers: NO_STORE });
  };

  const posts: Readonly<Record<string, Page>> = {
    [`${AUTH_PATH}/login`]: login,
    [`${AUTH_PATH}/logout`]: logout,
    [`${AUTH_PATH}/password`]: changePassword,
  };

  return (path, request, prefix, _loadVisibleCatalogue, context = { location: { prefix, path } }) => {
    if (path === `${AUTH_PATH}/session`) return readOnly(request, () => session(request, context));
    const post = Object.hasOwn(posts, path) ? posts[path] : undefined;
    return post && postOnly(request, () => post(request, context));
  };
}

/** Reads texts from a JSON body. An error does not repeat the body, which may contain a password. */
async function fieldsOf<Name extends string>(
  bodies: BodyReceiver,
  request: Request,
  ...names: readonly Name[]
): Promise<Record<Name, string>> {
  const [type] = (request.headers.get('content-type') ?? '').split(';', 1);
  const body = await bodies.receive(request);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body.bytes));
    const fields = value as Record<Name, string>;
    const hasAllFields =
      typeof value === 'object' && value !== null && names.every((name) => typeof fields[name] === 'string');
    if (hasAllFields && type?.trim().toLowerCase() === 'application/json') return fields;
  } catch {
    // Rejected below.
  } finally {
    body.release();
  }
  const example = `{${names.map((name) => `"${name}":"…"`).join(',')}}`;
  throw new ApiError('PGRST102', `the body must be JSON with ${names.join(' and ')}, each a text`, {
    hint: `Send ${example} with Content-Type: application/json.`,
  });
}
