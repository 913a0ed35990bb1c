/** Resources of the service below /catalogue for callers with every right, such as users and the declaration. */
import { nameOfPart } from '../base/net/query-string.ts';
import { ANONYMOUS } from '../collection/access/caller.ts';
import type { Answer } from '../http/answer.ts';
import { unsupportedMethod } from '../http/call.ts';
import { OWN_PATH } from '../http/own-paths.ts';
import { type Middleware, type RequestContext, trackWork } from './request-context.ts';
import { responder } from './response-cache.ts';

export interface ResourceRequest {
  /** `users` in /catalogue/users/bob. */
  readonly name: string;
  /** `bob` in /catalogue/users/bob. */
  readonly key: string | undefined;
  readonly request: Request;
  readonly context: RequestContext;
}

/** Records a change in the log of the service. */
export type Audit = (event: string, about: Readonly<Record<string, string | undefined>>) => void;

/**
 * Answers requests for these names; `users/` means one of the users. For a caller without every right, and for an
 * anonymous one, the next step answers: the path does not exist. A preflight request (OPTIONS) is anonymous.
 */
export function ownResources(
  names: readonly string[],
  answer: (asked: ResourceRequest) => Promise<Answer>,
): Middleware {
  return (next) => (request, context) => {
    const { path } = context.location;
    const [name = '', key, ...rest] = path.startsWith(`${OWN_PATH}/`)
      ? path
          .slice(OWN_PATH.length + 1)
          .split('?', 1)[0]!
          .split('/')
      : [];
    const isServed = names.includes(key === undefined ? name : `${name}/`) && rest.length === 0 && key !== '';
    if (!isServed || !hasEveryRight(context)) return next(request, context);
    context.route = `${OWN_PATH}/${name}${key === undefined ? '' : '/:name'}`;
    const asked = { name, key: key === undefined ? undefined : nameOfPart(key), request, context };
    return trackWork(context, responder(() => answer(asked))(request, context));
  };
}

function hasEveryRight({ method, access, caller }: RequestContext): boolean {
  return method !== 'OPTIONS' && access?.permissions === undefined && caller?.role !== ANONYMOUS.role;
}

/** Rejects a method without a handler. */
export function handlerOf<Handler>(handlers: Readonly<Record<string, Handler>>, method: string): Handler {
  if (Object.hasOwn(handlers, method)) return handlers[method]!;
  throw unsupportedMethod(method, Object.keys(handlers).join(', '));
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(value) };
}
