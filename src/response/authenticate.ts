/** Authentication and authorization of a request, for a catalogue with roles. */
import { ApiError, unlessThrown } from '../base/errors.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { ANONYMOUS, type Caller } from '../collection/access/caller.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { isObject } from '../collection/exact-json.ts';
import type { Engine, MaybePromise } from '../engine/engine.ts';
import type { Call } from '../http/call.ts';
import type { Claims } from '../plan/access/claims.ts';
import { type Access, authorize } from '../plan/access/permissions.ts';
import { andThen, type Middleware, RequestContext } from './request-context.ts';

/** Identifies the caller by the credentials of a request, and rejects invalid credentials. */
export type Identify = (call: Call) => MaybePromise<Caller>;
export type Authenticate = (context: RequestContext) => MaybePromise<Access>;

/** Creates the authenticator. Returns undefined for a catalogue without roles: every caller may do everything. */
export function authenticator(catalogue: Catalogue, identify: Identify = () => ANONYMOUS): Authenticate | undefined {
  if (catalogue.roles === undefined) return undefined;
  const authenticate = authorize(catalogue);
  return (context) => {
    context.authorization ??= settle(() =>
      andThen(identify(context.call), (caller) => {
        context.caller = asAsked(caller, context.call, catalogue);
        context.access = authenticate(context.caller);
        return context.access;
      }),
    );
    return context.authorization();
  };
}

/** Roles of the database decide what callers may do. */
export interface DatabaseRoles {
  readonly identify: Identify;
  readonly anonymousRole: string;
  /** The engine in the session of the caller. */
  readonly engineOf: (context: RequestContext, caller: Caller) => Engine;
  /** The tables, columns and functions for which the role has a privilege. */
  readonly describedTo: (role: string) => Promise<Catalogue>;
}

export function databaseAuthenticator({ identify, anonymousRole, engineOf, describedTo }: DatabaseRoles): Authenticate {
  return (context) => {
    context.authorization ??= settle(() =>
      andThen(identify(context.call), (caller) => {
        context.caller = caller;
        context.engine = engineOf(context, caller);
        const { role, claims } = caller;
        const scope = JSON.stringify([role, claims]);
        const isAnonymous = role === anonymousRole;
        context.access = { permissions: undefined, scope, described: () => describedTo(role), isAnonymous };
        return context.access;
      }),
    );
    return context.authorization();
  };
}

/** Identifies the caller before the request is handled. A preflight request (OPTIONS) carries no credentials. */
export function withAuthentication(authenticate: Authenticate | undefined): Middleware {
  return (next) =>
    authenticate === undefined
      ? next
      : (context) =>
          context.call.method === 'OPTIONS'
            ? next(context)
            : andThen(authenticate(context), () => {
                context.done('jwt');
                return next(context);
              });
}

/** Checks the credentials of a request again, also after its response began. Returns the caller's scope. */
export function repeatedCheck(
  authenticate: Authenticate | undefined,
  { call }: RequestContext,
): (() => MaybePromise<string>) | undefined {
  if (authenticate === undefined) return undefined;
  const copy = call.copy();
  return () => andThen(authenticate(new RequestContext(copy, undefined, false)), ({ scope }) => scope);
}

/** Runs the work once; each call of the result returns its value or throws its error. */
function settle<T>(work: () => MaybePromise<T>): () => MaybePromise<T> {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/**
 * The caller in the role of `X-As-Role`, and with the claims of `X-As-Claims`: an administrator checks what others see.
 * The name and the identity stay, so the rows of a person stay hidden.
 */
function asAsked(caller: Caller, { askedRole, askedClaims, isRead }: Call, { roles }: Catalogue): Caller {
  if (askedRole === null && askedClaims === null) return caller;
  const role = askedRole ?? caller.role;
  if (roles?.get(caller.role)?.isAll !== true)
    throw new ApiError('42501', `permission denied to read as the role ${role}`, {
      hint: 'X-As-Role and X-As-Claims need a role with every right.',
    });
  if (!isRead)
    throw new ApiError('42501', 'a request with X-As-Role or X-As-Claims cannot write', { nothingChanged: true });
  const names = [...(roles?.keys() ?? [])];
  if (!names.includes(role))
    throw new ApiError('42501', `the role ${role} does not exist`, {
      hint: `The roles are ${names.join(', ')}${didYouMean(role, names)}.`,
    });
  return { ...caller, role, ...(askedClaims !== null && { claims: { ...readClaims(askedClaims), role } }) };
}

function readClaims(text: string): Claims {
  const claims = unlessThrown(() => JSON.parse(text) as unknown);
  if (isObject(claims)) return claims;
  throw new ApiError('CAT400', 'X-As-Claims is not a JSON object', {
    hint: 'Send an object such as {"customer_id": 5}. Write other letters than those of ASCII as \\u00e9.',
  });
}
