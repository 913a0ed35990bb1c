/** The endpoints `/auth/login`, `/auth/logout`, `/auth/password` and `/auth/session`, over JSON. */

import { ApiError } from '../base/errors.ts';
import { MAX_LOGIN_BYTES } from '../base/limits/auth.ts';
import { ANONYMOUS, type Caller } from '../collection/caller.ts';
import type { MaybePromise } from '../engine/engine.ts';
import { BodyReceiver } from '../http/body/body-receiver.ts';
import type { TrustedProxies } from '../http/edge/proxies.ts';
import { type PageContext, type Pages, readOnly } from '../http/pages.ts';
import { credentialsOf, type RequestCredentials, requestSession } from './request-credentials.ts';
import type { Rights } from './rights.ts';
import { requireSameOrigin } from './same-origin.ts';
import { type CookieTerms, endedCookie, sessionCookie } from './session-cookie.ts';
import type { StartedSession, Users } from './users.ts';

export const AUTH_PATH = '/auth';
const LOGIN_PATH = `${AUTH_PATH}/login`;
const LOGOUT_PATH = `${AUTH_PATH}/logout`;
const PASSWORD_PATH = `${AUTH_PATH}/password`;
const SESSION_PATH = `${AUTH_PATH}/session`;
export const AUTH_PATHS = [LOGIN_PATH, LOGOUT_PATH, PASSWORD_PATH, SESSION_PATH] as const;

/** Counters for the metrics. */
export interface Counts {
  refused: number;
  logins: number;
  loginsRefused: number;
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

interface Terms {
  readonly identify: (request: Request, noted?: PageContext) => MaybePromise<Caller>;
  readonly people: Users;
  readonly counts: Counts;
  readonly roles: ReadonlySet<string>;
  readonly proxies: TrustedProxies;
  readonly cookieTerms: (request: Request, noted: PageContext | undefined) => CookieTerms;
  readonly rightsOf: (caller: Caller) => Rights;
}

const NO_STORE = { 'cache-control': 'no-store' };

export function sessionPages({ identify, people, counts, roles, proxies, cookieTerms, rightsOf }: Terms): Pages {
  const bodies = new BodyReceiver(MAX_LOGIN_BYTES);

  async function fieldsOf<Name extends string>(
    request: Request,
    ...names: readonly Name[]
  ): Promise<Record<Name, string>> {
    const [type] = (request.headers.get('content-type') ?? '').split(';', 1);
    const body = await bodies.receive(request);
    try {
      const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body.bytes));
      const fields = value as Record<Name, string>;
      const isGiven =
        typeof value === 'object' && value !== null && names.every((name) => typeof fields[name] === 'string');
      if (isGiven && type?.trim().toLowerCase() === 'application/json') return fields;
    } catch {
      // Rejected below, without repeating what was sent.
    } finally {
      body.release();
    }
    const example = `{${names.map((name) => `"${name}":"…"`).join(',')}}`;
    throw new ApiError('PGRST102', `the body must be JSON with ${names.join(' and ')}, each a text`, {
      hint: `Send ${example} with Content-Type: application/json.`,
    });
  }

  /** Reads the cookie even if other credentials are sent: the browser must delete it. */
  const sessionOf = (request: Request, noted: PageContext | undefined): RequestCredentials | undefined =>
    requestSession(request.headers, () => cookieTerms(request, noted));

  /** Ends the session that came with the request, so that a planted session is not continued. */
  async function begin(begun: StartedSession, request: Request, noted?: PageContext): Promise<Response> {
    const before = sessionOf(request, noted);
    if (before !== undefined) await people.logout(before.text);
    if (noted !== undefined) noted.caller = begun.caller;
    const seconds = Math.round((begun.expires.getTime() - Date.now()) / 1000);
    const cookie = sessionCookie(begun.text, seconds, cookieTerms(request, noted));
    const body = { ...account('session', begun.caller), expires_at: begun.expires.toISOString() };
    return Response.json(body, { headers: { ...NO_STORE, 'set-cookie': cookie } });
  }

  function account(by: Account['by'], caller: Caller): Account {
    return { by, role: caller.role, name: caller.name ?? null, rights: rightsOf(caller) };
  }

  async function login(request: Request, noted?: PageContext): Promise<Response> {
    // A page of another site must not log a user in as someone else.
    const isFromPage = request.headers.has('origin') || request.headers.has('sec-fetch-site');
    if (isFromPage) requireSameOrigin(request, noted?.peer, proxies);
    const { name, password } = await fieldsOf(request, 'name', 'password');
    try {
      const begun = await people.login(name, password, proxies.clientOf(request, noted?.peer) ?? '');
      counts.logins++;
      return await begin(begun, request, noted);
    } catch (error) {
      if (error instanceof ApiError) counts.loginsRefused++;
      throw error;
    }
  }

  async function logout(request: Request, noted?: PageContext): Promise<Response> {
    const session = sessionOf(request, noted);
    if (session !== undefined) {
      requireSameOrigin(request, noted?.peer, proxies);
      // The user of the session, if it has not ended already.
      const caller = await Promise.try(() => people.callerOf(session.text)).catch(() => undefined);
      if (noted !== undefined) noted.caller = caller;
      await people.logout(session.text);
    }
    const cookie = endedCookie(cookieTerms(request, noted));
    return new Response(null, { status: 204, headers: { ...NO_STORE, 'set-cookie': cookie } });
  }

  async function changePassword(request: Request, noted?: PageContext): Promise<Response> {
    const session = sessionOf(request, noted);
    if (session === undefined) {
      throw new ApiError('PGRST302', 'only a logged-in user can change a password', {
        hint: 'Log in first. catalogue user password NAME changes it without knowing the old one.',
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    // Only the session counts here: other credentials may belong to someone else.
    requireSameOrigin(request, noted?.peer, proxies);
    const caller = await people.callerOf(session.text);
    if (noted !== undefined) noted.caller = caller;
    const { current, password } = await fieldsOf(request, 'current', 'password');
    const address = proxies.clientOf(request, noted?.peer) ?? '';
    const begun = await people.changePassword(caller.name!, current, password, address);
    return begin(begun, request, noted);
  }

  /** The caller; nobody if no credentials were sent and anonymous access is disabled. */
  async function session(request: Request, noted?: PageContext): Promise<Response> {
    const sent = credentialsOf(request.headers, () => cookieTerms(request, noted));
    if (sent === undefined && !roles.has(ANONYMOUS.role)) return Response.json(NOBODY, { headers: NO_STORE });
    const caller = await identify(request, noted);
    if (noted !== undefined) noted.caller = caller;
    return Response.json(account(sent?.kind ?? 'nothing', caller), { headers: NO_STORE });
  }

  return (path, request, _prefix, _seen, noted) => {
    switch (path) {
      case LOGIN_PATH:
        return posted(request, () => login(request, noted));
      case LOGOUT_PATH:
        return posted(request, () => logout(request, noted));
      case PASSWORD_PATH:
        return posted(request, () => changePassword(request, noted));
      case SESSION_PATH:
        return readOnly(request, () => session(request, noted));
      default:
        return undefined;
    }
  };
}

const METHODS = 'OPTIONS, POST';

function posted(request: Request, work: () => Promise<Response>): Promise<Response> | Response {
  if (request.method === 'POST') return work();
  if (request.method === 'OPTIONS') return new Response(null, { status: 200, headers: { allow: METHODS } });
  throw new ApiError('PGRST117', `Unsupported HTTP method: ${request.method}`, {
    hint: `Allowed here: ${METHODS}.`,
    headers: { allow: METHODS },
  });
}
