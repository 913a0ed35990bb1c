/** The session of the person, if the catalogue has roles. */
import { tabStorage } from '../../base/storage.ts';
import { ApiError, type Problem } from '../errors.ts';
import { base, pageData } from './page-data.ts';

const WANTED = 'catalogue.login';
const TOKEN = 'catalogue.token';
const ASKED = 'catalogue.asked';

/** The token of the person, for this tab only, and whether the service has asked for one. */
export const token = {
  get: (): string | undefined => tabStorage.get(TOKEN),
  set: (value: string): void => tabStorage.set(TOKEN, value),
  clear: (): void => tabStorage.set(TOKEN, undefined),
  isAskedFor: (): boolean => tabStorage.get(ASKED) !== undefined,
  noteAsked: (): void => tabStorage.set(ASKED, 'yes'),
};

export const { session } = pageData;
export const isLoggedIn = session?.by === 'session';

/** Whether the service knows who the person is. Without roles, everybody is the same person. */
export const hasIdentity = (): boolean => session === undefined || isLoggedIn || token.get() !== undefined;

/** The name of the person, from an owner such as `user ann` or `token ["https://issuer.example","ann"]`. */
export function personOf(owner: string): string {
  const [, subject] = /^token \[(?:null|"(?:[^"\\]|\\.)*"),"((?:[^"\\]|\\.)*)"\]$/.exec(owner) ?? [];
  return subject ?? owner.replace(/^\w+ /, '');
}

/** Whether the login page has to be shown: the service asked for credentials, or the person wants to log in. */
export function isLoginNeeded(): boolean {
  if (session === undefined || isLoggedIn) return false;
  return session.role === null || tabStorage.get(WANTED) !== undefined;
}

export function loginReason(): string {
  return tabStorage.get(WANTED) ?? '';
}

export function requestLogin(reason = ''): void {
  tabStorage.set(WANTED, reason);
  location.reload();
}

export function continueWithoutLogin(): void {
  tabStorage.set(WANTED, undefined);
  location.reload();
}

/** Whether the browser has the cookie of a session that has not ended. */
export async function hasSession(): Promise<boolean> {
  const account = await fetch(`${base}/auth/session`).then(
    (response) => response.json(),
    () => undefined,
  );
  return (account as typeof session)?.by === 'session';
}

/** Begins a session, or throws the reason why not. */
export const logIn = (name: string, password: string): Promise<void> => post('/auth/login', { name, password });

export async function logOut(): Promise<void> {
  await post('/auth/logout', {});
  location.reload();
}

export const changePassword = (current: string, password: string): Promise<void> =>
  post('/auth/password', { current, password });

/** The service rejected a name or a password. */
export class LoginError extends ApiError {}

async function post(path: string, body: unknown): Promise<void> {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.ok) return;
  const problem = await response.json().catch(() => ({ code: '', message: response.statusText }));
  throw new LoginError(response.status, problem as Problem);
}
