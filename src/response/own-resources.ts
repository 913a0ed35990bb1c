/** Resources of the service below /catalogue, such as users and the declaration, for callers that may manage them. */
import { ApiError } from '../base/errors.ts';
import { nameOfPart } from '../base/net/query-string.ts';
import { ANONYMOUS } from '../collection/access/caller.ts';
import type { MaybePromise } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import { answerOptions } from '../http/methods.ts';
import { unknownCollection } from '../http/rows.ts';
import { OWN_PATH, type Target } from '../http/target.ts';
import { type RequestContext, trackWork } from './request-context.ts';

export interface ResourceRequest {
  /** `users` in /catalogue/users/bob. */
  readonly name: string;
  /** `bob` in /catalogue/users/bob. */
  readonly key: string | undefined;
  readonly context: RequestContext;
}

type ResourceHandler = (asked: ResourceRequest) => Promise<Answer>;

/** By name and method; `users/` means one of the users. */
export type Resources = Readonly<Record<string, Readonly<Record<string, ResourceHandler>>>>;

/** Records a change in the log of the service. */
export type Audit = (event: string, about: Readonly<Record<string, string | undefined>>) => void;

/**
 * Undefined for a caller without every right, and for an anonymous one: for them the path does not exist. Users also
 * exist for a role that manages some. A preflight request (OPTIONS) is anonymous, and gets the methods.
 */
export function answerResource(
  resources: Resources,
  { name, key, route }: Extract<Target, { kind: 'resource' }>,
  context: RequestContext,
): MaybePromise<Answer> | undefined {
  const { call, access, caller } = context;
  const path = key === undefined ? name : `${name}/`;
  const { permissions } = access ?? {};
  const isManager = permissions === undefined || permissions.manages.size > 0;
  const isVisible = call.method === 'OPTIONS' || (isManager && caller?.role !== ANONYMOUS.role);
  if (!isVisible || !Object.hasOwn(resources, path)) return undefined;
  if (permissions !== undefined && name !== 'users') {
    throw unknownCollection(name, `Available: ${call.location.prefix}${OWN_PATH}/users.`);
  }
  context.route = route;
  const handlers = resources[path]!;
  const options = answerOptions(call, ['OPTIONS', ...Object.keys(handlers)]);
  if (options !== undefined) return options;
  if (call.isWrite && name !== 'declaration' && call.preferences.tx === 'rollback') {
    throw new ApiError('PGRST127', `${name} have no dry run`, {
      nothingChanged: true,
      hint: 'Send the request without Prefer: tx=rollback.',
    });
  }
  return trackWork(context, handlers[call.method]!({ name, key: key && nameOfPart(key), context }));
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(value) };
}
