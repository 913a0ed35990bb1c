/**
 * Requests for users, keys, roles, sessions and logins below /catalogue, for callers with every right, and for users
 * also for roles that manage some. Lists take the query language. Secrets cannot be read: only the answer to its
 * creation contains a key.
 */

import { ApiError, onError } from '../base/errors.ts';
import { MAX_LOGIN_BYTES } from '../base/limits/auth.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { pathPart, splitQuery } from '../base/net/query-string.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { ACCOUNT_DETAILS, ACCOUNT_LOG, CREDENTIALS, SERVED_ACCOUNTS, SESSIONS } from '../collection/own-collections.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Engine } from '../engine/engine.ts';
import { RowStore } from '../engine/row-store.ts';
import type { Answer } from '../http/answer.ts';
import { BodyReceiver } from '../http/body/body-receiver.ts';
import { objectIn } from '../http/body/parse-body.ts';
import type { Call } from '../http/call.ts';
import { checkUrlLength } from '../http/rows.ts';
import { OWN_PATH } from '../http/target.ts';
import { readList } from '../requests/read.ts';
import { type Audit, jsonAnswer, type ResourceRequest, type Resources } from '../response/own-resources.ts';
import { ConfigError } from '../settings/by-command.ts';
import { CLAIMS_FORM, isClaims, nameProblem, roleProblem } from './account-rules.ts';
import { addKey, revokeKey } from './keys.ts';
import { passwordProblem } from './passwords.ts';
import { CredentialStore } from './store.ts';
import { addUser, changeUser, removeUser } from './users.ts';

/** The members of a body, checked. */
interface Account {
  readonly name: string;
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly password: string;
  readonly expires_at: string | null;
  readonly disabled: boolean;
}

type Member = keyof Account;
type Handler = (asked: ResourceRequest) => Promise<Answer>;

const NO_CONTENT: Answer = { status: 204, headers: {}, body: null };

/** `catalogue` has roles. */
export function accountRequests(engine: Engine, catalogue: Catalogue, audit: Audit): Resources {
  const store = new CredentialStore(engine);
  const bodies = new BodyReceiver(MAX_LOGIN_BYTES);
  const { roles = new Map(), draft } = catalogue;

  const list: Handler = async ({ name, context }) => {
    checkUrlLength(context.call);
    await withTables(() => engine.ownTables(CREDENTIALS, { make: true }));
    const tables = name === 'users' ? [] : [name === 'keys' ? ACCOUNT_LOG.uses : ACCOUNT_LOG.logins];
    const making = withTables(() => engine.ownTables(tables, { make: true }));
    const hasLog = name === 'logins' ? await making : await making.catch(() => false);
    const roles = managedBy(context);
    const within = roles && parseQuery(`role=in.(${[...roles].join(',')})`);
    const collection = SERVED_ACCOUNTS[name as keyof typeof SERVED_ACCOUNTS];
    const accounts = {
      within: name === 'sessions' ? parseQuery(`expires_at=gt.${new Date().toISOString()}`) : within,
      select: hasLog ? DETAILS[name] : undefined,
    };
    return readList({ engine, maxRows: 0 }, collection, context, accounts);
  };
  const listRoles: Handler = async () => jsonAnswer(200, draft.roles);

  const read = (asked: ResourceRequest, required: readonly Member[], optional: readonly Member[]) =>
    accountIn(bodies, asked.context.call, { roles, required, optional, what: whatIn(asked) });
  const done = (event: string, { context }: ResourceRequest, about: Parameters<Audit>[1]) =>
    audit(event, { ...about, by: context.caller?.name ?? context.caller?.role });
  const created = (asked: ResourceRequest, { name, role }: Account, more: object = {}) => {
    done(`a ${whatIn(asked)} was added`, asked, { account: name, account_role: role });
    const location = `${asked.context.call.location.prefix}${OWN_PATH}/${asked.name}?name=eq.${pathPart(name)}`;
    return jsonAnswer(201, { name, role, ...more }, { location });
  };

  const addOneKey: Handler = async (asked) => {
    const account = await read(asked, ['name', 'role'], ['claims', 'expires_at']);
    const { name, role, claims = {}, expires_at } = account;
    const expires = expires_at == null ? undefined : new Date(expires_at);
    const key = await withTables(() => addKey(store, { name, role, claims, expires }));
    return created(asked, account, { expires_at: expires?.toISOString() ?? null, key });
  };
  const addOneUser: Handler = async (asked) => {
    const account = await read(asked, ['name', 'role', 'password'], ['claims']);
    checkManages(asked, account.role);
    await withTables(() => addUser(store, { ...account, claims: account.claims ?? {} }));
    return created(asked, account);
  };
  const change: Handler = async (asked) => {
    const changes = await read(asked, [], ['role', 'claims', 'password', 'disabled']);
    if (changes.role !== undefined) checkManages(asked, changes.role);
    if (!(await changeUser(store, asked.key!, changes, managedBy(asked.context)))) throw missing(asked);
    done('a user was changed', asked, { account: asked.key, changed: Object.keys(changes).join(', ') });
    return NO_CONTENT;
  };
  const remove: Handler = async (asked) => {
    const name = asked.key!;
    const roles = managedBy(asked.context);
    const existed = await (asked.name === 'users' ? removeUser(store, name, roles) : revokeKey(store, name));
    if (!existed) throw missing(asked);
    done(`a ${whatIn(asked)} was removed`, asked, { account: name });
    return NO_CONTENT;
  };

  const endSession: Handler = async (asked) => {
    if (!(await store.sessions.remove('hash', asked.key!))) throw missing(asked);
    done('a session was ended', asked, {});
    return NO_CONTENT;
  };
  const endSessions: Handler = async (asked) => {
    const { call } = asked.context;
    if (call.parseQuery().conditions.length === 0) {
      throw new ApiError('21000', 'a write without a filter would end every session', {
        nothingChanged: true,
        hint: 'Add a filter such as user_name=eq.ann. To end all sessions, filter by user_name=not.is.null.',
      });
    }
    const other = splitQuery(call.query).find(([name]) => /^(?:limit|offset|order|select)$/.test(name));
    if (other !== undefined) {
      throw new ApiError('PGRST127', `sessions are ended by filters only, not with ${other[0]}`, {
        nothingChanged: true,
        hint: `To end one session, use DELETE ${OWN_PATH}/sessions/<hash>.`,
      });
    }
    const rows = new RowStore(engine);
    // Rejects hidden fields. The write itself names fields of the table.
    rows.where(SERVED_ACCOUNTS.sessions, call.query);
    await store.sessions.removeWhere(rows.where(SESSIONS, call.query));
    done('sessions were ended', asked, { filter: call.query });
    return NO_CONTENT;
  };

  const lists = { GET: list, HEAD: list };
  return {
    users: { ...lists, POST: addOneUser },
    'users/': { PATCH: change, DELETE: remove },
    keys: { ...lists, POST: addOneKey },
    'keys/': { DELETE: remove },
    roles: { GET: listRoles, HEAD: listRoles },
    sessions: { ...lists, DELETE: endSessions },
    'sessions/': { DELETE: endSession },
    logins: lists,
  };
}

/** The details that lists add, as the parser reads them. */
const DETAILS = Object.fromEntries(
  Object.entries(ACCOUNT_DETAILS).map(([name, fields]) => [name, parseQuery(`select=*,${fields}`).select]),
);

/** The roles whose users the caller manages; undefined for all. */
function managedBy({ access }: ResourceRequest['context']): ReadonlySet<string> | undefined {
  return access?.permissions?.manages;
}

function checkManages({ context }: ResourceRequest, role: string): void {
  const roles = managedBy(context);
  if (roles === undefined || roles.has(role)) return;
  throw new ApiError('42501', `permission denied for users of the role ${role}`, {
    hint: `Your role manages users of ${[...roles].join(', ')}.`,
    field: 'role',
  });
}

function whatIn({ name }: ResourceRequest): 'key' | 'user' {
  return name === 'keys' ? 'key' : 'user';
}

function missing(asked: ResourceRequest): ApiError {
  const hint = `GET ${OWN_PATH}/${asked.name} lists them.`;
  const what = asked.name === 'sessions' ? 'session has the hash' : `${whatIn(asked)} has the name`;
  return new ApiError('CAT404', `no ${what} ${asked.key}`, { hint });
}

/** The role of the service in the database may lack the right to create the tables. */
function withTables<T>(work: () => Promise<T>): Promise<T> {
  return onError(ConfigError, work, ({ message }) => {
    throw new ApiError('CAT501', message);
  });
}

interface Expected {
  readonly roles: ReadonlyMap<string, unknown>;
  readonly required: readonly Member[];
  readonly optional: readonly Member[];
  readonly what: 'key' | 'user';
}

/** Reads an account from a JSON body. An error never repeats a password. */
async function accountIn(bodies: BodyReceiver, call: Call, expected: Expected): Promise<Account> {
  const { roles, required, optional, what } = expected;
  const known: readonly string[] = [...required, ...optional];
  const value = await objectIn(bodies, call, `a JSON object with ${known.join(', ')}`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const hint = `The members are ${known.join(', ')}${didYouMean(unknown, known)}.`;
    throw new ApiError('PGRST204', `a ${what} has no ${unknown}`, { hint, field: unknown });
  }
  const reject = (code: '23502' | '23514' | '22P02', field: Member, message: string) =>
    new ApiError(code, message, { field, ...(field === 'password' ? {} : { value: value[field] }) });
  const absent = required.find((name) => value[name] === undefined || value[name] === null);
  if (absent !== undefined) throw reject('23502', absent, `${absent} is missing. Send it with the new ${what}`);
  const { name, role, claims, password, expires_at, disabled } = value;
  for (const [field, given] of Object.entries({ name, role, password, expires_at })) {
    const isText = typeof given === 'string' || given === undefined || (field === 'expires_at' && given === null);
    if (!isText) throw reject('22P02', field as Member, `${field} is not a text`);
  }
  if (disabled !== undefined && typeof disabled !== 'boolean') {
    throw reject('22P02', 'disabled', 'disabled is not true or false');
  }
  const problems: Partial<Record<Member, string | undefined>> = {
    name: name === undefined ? undefined : nameProblem(name as string, what),
    role: role === undefined ? undefined : roleProblem(roles, role as string),
    claims: claims === undefined || isClaims(claims) ? undefined : `claims must be ${CLAIMS_FORM}`,
    password: password === undefined ? undefined : passwordProblem(password as string),
    expires_at: expires_at == null ? undefined : timeProblem(expires_at as string),
  };
  for (const [field, problem] of Object.entries(problems)) {
    if (problem !== undefined) throw reject('23514', field as Member, problem);
  }
  return value as unknown as Account;
}

function timeProblem(text: string): string | undefined {
  const time = Date.parse(text);
  const isTime = /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time);
  if (!isTime) return `${text} is not a time. Use 2030-12-31T00:00:00Z`;
  return time > Date.now() ? undefined : `${text} is in the past`;
}
