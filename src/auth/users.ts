/**
 * Users and their sessions. A session is 256 random bits in a cookie, new at every login. The database holds its hash
 * and the user's stamp. Every change of the user changes the stamp, which ends all earlier sessions.
 */

import { ApiError } from '../base/errors.ts';
import { MAX_ACCOUNT_NAME_LENGTH } from '../base/limits/auth.ts';
import type { Caller } from '../collection/access/caller.ts';
import { USERS } from '../collection/own-collections.ts';
import { type MaybePromise, NEWEST } from '../engine/engine.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { ALWAYS, type Predicate } from '../plan/types.ts';
import { andThen } from '../response/request-context.ts';
import type { AccountLog, LoginOrigin } from './account-log.ts';
import { type CachedCredential, CredentialCache } from './credential-cache.ts';
import { invalidToken } from './errors.ts';
import { LoginAttempts } from './login-attempts.ts';
import { hashPassword, isPassword, isTooLong, passwordProblem } from './passwords.ts';
import { hashOf, randomText } from './secret-text.ts';
import type { CredentialStore, StoredSession, StoredUser } from './store.ts';

type NewUser = Pick<StoredUser, 'name' | 'role' | 'claims' | 'password'>;

/**
 * Names compare without case. Older users whose names differ only by case each need their own spelling.
 * The lookup is the same for a name that exists, so that its time reveals nothing.
 */
export async function findUser(store: CredentialStore, name: string, after?: string): Promise<StoredUser | undefined> {
  const users = await store.users.named(name, after);
  return users.length === 1 ? users[0] : users.find((user) => user.name === name);
}

/** Throws 23505 if the name is taken, in any case. */
export async function addUser(store: CredentialStore, { name, role, claims, password }: NewUser): Promise<void> {
  const hash = await hashPassword(password);
  const created_at = new Date().toISOString();
  const stamp = randomText();
  if ((await store.users.named(name)).length > 0) throw taken(name);
  await store.users.add({ name, role, claims, password: hash, stamp, created_at });
  // Another request may have added the name in another case meanwhile.
  if ((await store.users.named(name)).length === 1) return;
  await store.users.remove('stamp', stamp);
  throw taken(name);
}

function taken(name: string): ApiError {
  return new ApiError('23505', `the user ${name} exists already`, {
    hint: 'Names of users compare without case.',
    field: 'name',
    value: name,
  });
}

/** A user with this claim cannot log in. */
const DISABLED = 'disabled';

interface UserChanges extends Partial<Omit<NewUser, 'name'>> {
  readonly disabled?: boolean;
}

/** Resolves to whether the user exists, with one of the roles. Their sessions end. */
export async function changeUser(
  store: CredentialStore,
  given: string,
  changes: UserChanges,
  roles?: ReadonlySet<string>,
): Promise<boolean> {
  const user = await findUser(store, given, NEWEST);
  if (user === undefined || roles?.has(user.role) === false) return false;
  const { password, claims, disabled, ...others } = changes;
  if (claims?.[DISABLED] !== undefined && disabled === undefined && claims[DISABLED] !== user.claims[DISABLED]) {
    throw new ApiError('23514', 'the claim disabled does not disable or enable a user', {
      nothingChanged: true,
      hint: 'Send {"disabled": true} or {"disabled": false} beside the claims.',
      field: 'claims',
    });
  }
  const hashed = password === undefined ? {} : { password: await hashPassword(password) };
  const claimed = claims === undefined && disabled === undefined ? {} : { claims: changedClaims(user, changes) };
  const changed = { ...others, ...hashed, ...claimed, stamp: randomText() };
  // Another request may have changed the user meanwhile.
  if (!(await store.users.change(user.name, changed, among('stamp', [user.stamp]))))
    return changeUser(store, given, changes, roles);
  await store.sessions.remove('user_name', user.name);
  return true;
}

/** New claims do not enable a disabled user. */
function changedClaims(
  { claims: before }: StoredUser,
  { claims = before, disabled }: UserChanges,
): StoredUser['claims'] {
  const { [DISABLED]: _, ...enabled } = claims;
  return (disabled ?? before[DISABLED] === true) ? { ...enabled, [DISABLED]: true } : enabled;
}

export async function removeUser(store: CredentialStore, given: string, roles?: ReadonlySet<string>): Promise<boolean> {
  const user = await findUser(store, given);
  if (user === undefined || !(await store.users.remove('name', user.name, '=', among('role', roles)))) return false;
  await store.sessions.remove('user_name', user.name);
  return true;
}

function among(name: 'role' | 'stamp', values: Iterable<string> | undefined): Predicate {
  if (values === undefined) return ALWAYS;
  return { kind: 'in', of: fieldExpression(USERS.byName.get(name)!), values: [...values] };
}

/** A new session. Its text belongs in the cookie and nowhere else. */
export interface StartedSession {
  readonly text: string;
  readonly caller: Caller;
  readonly expires: Date;
}

/** Interval between removals of expired sessions. */
const SWEEP_MS = 10 * 60_000;

export class Users {
  private readonly attempts = new LoginAttempts();
  private readonly sessions: CredentialCache;
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: CredentialStore,
    readonly sessionSeconds: number,
    private readonly checkRole: (caller: Caller) => void,
    private readonly log: AccountLog,
  ) {
    const find = (hash: string) =>
      andThen(store.sessions.find(hash), (session) =>
        andThen(session && store.users.find(session.user_name), (user) => credentialOf(session, user)),
      );
    this.sessions = new CredentialCache(find, checkRole);
  }

  /** The caller of a session; throws if it has ended. */
  callerOf(text: string): MaybePromise<Caller> {
    return this.sessions.callerOf(text);
  }

  /** Gives the same answer after the same time for a wrong name and a wrong password. */
  async login(name: string, password: string, origin: LoginOrigin): Promise<StartedSession> {
    return this.startSession(await this.findUser(name, password, origin), origin);
  }

  async logout(text: string): Promise<void> {
    this.sessions.forget(text);
    await this.store.sessions.remove('hash', hashOf(text));
  }

  /** Ends all sessions, and begins a new one for the caller. */
  async changePassword(name: string, current: string, next: string, origin: LoginOrigin): Promise<StartedSession> {
    const user = await this.findUser(name, current, origin);
    const problem = passwordProblem(next);
    if (problem !== undefined) throw new ApiError('PGRST102', problem, { details: 'The password was not changed.' });
    const changes = { password: await hashPassword(next), stamp: randomText() };
    // Another request may have disabled the user, or reset the password.
    if (!(await this.store.users.change(user.name, changes, among('stamp', [user.stamp])))) throw ended(CHANGED);
    await this.store.sessions.remove('user_name', user.name);
    return this.startSession({ ...user, ...changes }, origin);
  }

  private async findUser(name: string, password: string, origin: LoginOrigin): Promise<StoredUser> {
    // No user can have such a name or password, so the attempt is not counted.
    if (isTooLong(password) || [...name].length > MAX_ACCOUNT_NAME_LENGTH) throw wrong(undefined);
    const counted = name.toLowerCase();
    const { address } = origin;
    this.attempts.attempt(counted, address);
    const user = await findUser(this.store, name);
    if (!(await isPassword(password, user?.password)) || user === undefined) {
      await this.log.failed(user?.name ?? null, user === undefined ? 'unknown_user' : 'wrong_password', origin);
      throw wrong(user);
    }
    if (user.claims[DISABLED] === true) {
      await this.log.failed(user.name, 'disabled', origin);
      throw wrong(user, `the user ${user.name} is disabled`);
    }
    this.attempts.succeeded(counted, address);
    return user;
  }

  private async startSession(user: StoredUser, origin: LoginOrigin): Promise<StartedSession> {
    const caller = callerFor(user);
    this.checkRole(caller);
    const text = randomText();
    const expires = new Date(Date.now() + this.sessionSeconds * 1000);
    if (performance.now() - this.sweptAt > SWEEP_MS) {
      this.sweptAt = performance.now();
      // Nobody waits for this: it may be a costly write.
      void this.store.sessions.remove('expires_at', new Date().toISOString(), '<').catch(() => undefined);
      void this.log.removeOld();
    }
    const { name: user_name, stamp } = user;
    const hash = hashOf(text);
    await this.store.sessions.add({ hash, user_name, stamp, expires_at: expires.toISOString() });
    await this.log.loggedIn(hash, user_name, origin);
    return { text, caller, expires };
  }
}

function credentialOf(session: StoredSession | undefined, user: StoredUser | undefined): CachedCredential {
  if (session === undefined) throw ended('it is not known');
  const endsAt = Date.parse(session.expires_at);
  if (endsAt <= Date.now()) throw ended('it has expired');
  if (user === undefined || user.stamp !== session.stamp) throw ended(CHANGED);
  return { caller: callerFor(user), endsAt };
}

function callerFor({ name, role, claims }: StoredUser): Caller {
  return { role, claims: { ...claims, sub: name, role }, name, identity: `user ${name}` };
}

const CHANGED = 'the user was removed or changed';

function ended(cause: string): ApiError {
  return invalidToken('CAT401', 'The session has ended', { hint: 'Log in again.', cause });
}

/** The log gets the name of an existing user only: an unknown name may be a mistyped password. */
function wrong(user: StoredUser | undefined, why = `wrong password for ${user?.name}`): ApiError {
  return invalidToken('CAT401', 'The name or the password is wrong', {
    cause: user === undefined ? 'the user does not exist' : why,
  });
}
