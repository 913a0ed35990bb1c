/** The session of the person, if the catalogue has roles. */
import { base } from './base.ts';
import { pageData } from './page-data.ts';

const WANTED = 'catalogue.login';

export const { session } = pageData;
export const isLoggedIn = session?.by === 'session';

/** Whether the login page has to be shown: the service asked for credentials, or the person wants to log in. */
export function isLoginNeeded(): boolean {
  if (session === undefined || isLoggedIn) return false;
  return session.role === null || sessionStorage.getItem(WANTED) !== null;
}

/** The rejection that led to the login page. */
export function loginReason(): string {
  return sessionStorage.getItem(WANTED) ?? '';
}

export function requestLogin(reason = ''): void {
  sessionStorage.setItem(WANTED, reason);
  location.reload();
}

export function continueWithoutLogin(): void {
  sessionStorage.removeItem(WANTED);
  location.reload();
}

/** Begins a session. Resolves to the problem, if there is one. */
export async function logIn(name: string, password: string): Promise<string | undefined> {
  const response = await post('/auth/login', { name, password });
  return response.ok ? undefined : problemIn(response);
}

export async function logOut(): Promise<void> {
  await post('/auth/logout', {});
  location.reload();
}

/** Changes the password. Resolves to the problem, if there is one. */
export async function changePassword(current: string, password: string): Promise<string | undefined> {
  const response = await post('/auth/password', { current, password });
  return response.ok ? undefined : problemIn(response);
}

function post(path: string, body: unknown): Promise<Response> {
  return fetch(`${base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function problemIn(response: Response): Promise<string> {
  const problem = (await response.json().catch(() => undefined)) as
    | { message?: string; hint?: string | null }
    | undefined;
  if (problem?.message === undefined) return `The service answered ${response.status}.`;
  return [problem.message, problem.hint].filter((part) => part).join('. ');
}
