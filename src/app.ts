/** The service as one function of a request: an ordered list of middleware around the handler in `requests/`. */
import { ApiError } from './base/errors.ts';
import { DEFAULT_MAX_FILE_BYTES, DEFAULT_MAX_RESIZED_MB } from './base/limits/files.ts';
import type { Catalogue } from './collection/declaration.ts';
import { FILES_NAME, served } from './collection/files.ts';
import type { Engine, MaybePromise, Metric } from './engine/engine.ts';
import { Files } from './files/files.ts';
import type { Storage } from './files/storage/storage.ts';
import type { Answer } from './http/answer.ts';
import { BodyReceiver } from './http/body/body-receiver.ts';
import { type Call, firstPart, pathAndQuery, readCall, routeOf } from './http/call.ts';
import { NO_SNIFF, optionsAnswer, optionsHeaders } from './http/edge/cors.ts';
import { WRITES } from './http/edge/origins.ts';
import type { Peer } from './http/edge/peer.ts';
import { locateRequest } from './http/edge/prefix.ts';
import { clientNetwork } from './http/edge/proxies.ts';
import { acceptsEvents } from './http/negotiate.ts';
import { BATCH_PATH, OWN_METHODS, OWN_PATH, ownPathOf, routineNameOf } from './http/own-paths.ts';
import type { Pages } from './http/pages.ts';
import { batch } from './requests/batch.ts';
import { withPersonalRows } from './requests/personal-rows.ts';
import { fileTarget, putFile } from './requests/put-file.ts';
import { explainRead, readItem, readList } from './requests/read.ts';
import { callRoutine } from './requests/routine.ts';
import { undo } from './requests/undo.ts';
import { write } from './requests/write.ts';
import {
  type Authenticate,
  authenticator,
  type Identify,
  repeatedCheck,
  withAuthentication,
} from './response/authenticate.ts';
import { type Observers, withLogging } from './response/logging.ts';
import { acceptsPlan } from './response/plan.ts';
import { withRateLimit } from './response/rate-limited.ts';
import { andThen, compose, type Handler, type Middleware, type RequestContext } from './response/request-context.ts';
import { ResponseCache, responder } from './response/response-cache.ts';

export interface AppOptions extends Observers {
  readonly catalogue: Catalogue;
  readonly engine: Engine;
  readonly maxBodyBytes: number;
  /** The maximum total size of all bodies in flight; by default MAX_BODIES_BYTES. */
  readonly maxTotalBodyBytes?: number;
  /** The maximum size of a file; by default DEFAULT_MAX_FILE_BYTES. */
  readonly maxFileBytes?: number;
  /** The maximum size of all files; by default 0, no limit. */
  readonly maxTotalFileBytes?: number;
  /** The maximum size of all resized images. */
  readonly maxResizedBytes?: number;
  /** Where the bytes of files are; by default the database. */
  readonly storage?: () => MaybePromise<Storage>;
  readonly allowUnfilteredWrites: boolean;
  /** The maximum number of rows of a list; by default 0, no limit. */
  readonly maxRows?: number;
  /** The path prefix that a proxy adds, such as /api. */
  readonly basePath?: string;
  /** The schema name that Accept-Profile and Content-Profile may have. */
  readonly schema?: string;
  /** The pages besides the collections: API description, console, health. */
  readonly pages?: Pages;
  /** Steps between authentication and the handler, such as the resources of `response/own-resources.ts`. */
  readonly resources?: readonly Middleware[];
  /** Whether clients may request query plans by Accept: application/vnd.pgrst.plan+json. */
  readonly plans?: boolean;
  /** Answers lists with Accept: text/event-stream. `check` repeats the authentication, for a catalogue with roles. */
  readonly feed?: (call: Call, context: RequestContext, check?: () => MaybePromise<string>) => MaybePromise<Answer>;
  /** Identifies the caller, for a catalogue with roles. If absent, every caller is anonymous. */
  readonly identify?: Identify;
}

export interface App {
  fetch(request: Request, peer?: Peer): MaybePromise<Response>;
  /** Metrics of the response cache, of bodies in flight and of files. */
  metrics(): readonly Metric[];
  /** Removes some orphaned files, if the catalogue has files. Resolves to whether more remain to be looked at. */
  removeOrphans(now?: number): Promise<boolean>;
}

export function createApp(given: AppOptions): App {
  const options = { ...given, catalogue: served(given.catalogue) };
  const { maxFileBytes = DEFAULT_MAX_FILE_BYTES, maxTotalFileBytes: maxTotalBytes = 0 } = options;
  const { maxResizedBytes = DEFAULT_MAX_RESIZED_MB * 1024 * 1024 } = options;
  const {
    catalogue,
    engine,
    pages,
    edgeChecks,
    basePath = '',
    schema = 'public',
    maxBodyBytes,
    maxTotalBodyBytes,
  } = options;
  const bodies = new BodyReceiver(maxBodyBytes, maxTotalBodyBytes);
  const files = catalogue.builtIn.has(FILES_NAME)
    ? new Files(engine, given.catalogue, { maxFileBytes, maxTotalBytes, maxResizedBytes }, given.storage)
    : undefined;
  const cache = engine.changes === undefined ? undefined : new ResponseCache(engine.changes);
  const authenticate = authenticator(catalogue, options.identify);
  const handle = handler(options, bodies, authenticate, files);
  const middleware: readonly Middleware[] = [
    withEdgeChecks(edgeChecks, basePath),
    withRateLimit(edgeChecks?.limit, authenticate, catalogue),
    // `/` is a page, so its schema is checked before pages; collection paths only after authentication.
    checkSchema(schema, (path) => path === '/' || path.startsWith('/?')),
    servePages(pages, catalogue, authenticate),
    ...(files === undefined ? [] : [files.signedMiddleware]),
    withAuthentication(authenticate),
    checkSchema(schema),
    withPersonalRows(engine, catalogue),
    ...(options.resources ?? []),
    ...(files === undefined ? [] : [files.middleware]),
  ];
  const respond = compose(middleware, cache?.around(handle) ?? responder(handle));
  return {
    fetch: withLogging(respond, options),
    metrics: () => [...(cache?.metrics() ?? []), ...bodies.metrics(), ...(files?.metrics.all() ?? [])],
    removeOrphans: async (now) => (await files?.removeOrphans(now)) ?? false,
  };
}

/** Checks Host and Origin, and sets `context.location`, the path below the prefix of a proxy. */
function withEdgeChecks(edgeChecks: AppOptions['edgeChecks'], basePath: string): Middleware {
  return (next) => (request, context) => {
    edgeChecks?.enter(request, context);
    const proxies = edgeChecks?.proxies;
    context.proxies = proxies;
    context.location = locateRequest(pathAndQuery(context.url), request, basePath, context.peer, proxies);
    if (WRITES.includes(context.method) && request.headers.has('idempotency-key')) {
      context.network = clientNetwork(request, context.peer, proxies);
    }
    return next(request, context);
  };
}

/** Serves pages, unless a collection has their name. Below /catalogue, pages have no such rivals. */
function servePages(
  pages: Pages | undefined,
  catalogue: Catalogue,
  authenticate: Authenticate | undefined,
): Middleware {
  return (next) => (request, context) => {
    const { prefix, path } = context.location;
    if (pages === undefined || catalogue.collections.has(firstPart(path))) return next(request, context);
    const loadVisibleCatalogue =
      authenticate &&
      (() => andThen(authenticate(request, context), ({ permissions }) => permissions?.catalogue ?? catalogue));
    const pagePath = path.startsWith(`${OWN_PATH}/`) ? path.slice(OWN_PATH.length) : path;
    const page = pages(pagePath.split('?', 1)[0]!, request, prefix, loadVisibleCatalogue, context);
    return page === undefined ? next(request, context) : andThen(page, (response) => withHeader(response, ...NO_SNIFF));
  };
}

function withHeader(response: Response, name: string, value: string): Response {
  response.headers.set(name, value);
  return response;
}

/**
 * Rejects a schema that is not served. Writes name it in Content-Profile, reads in Accept-Profile, as in PostgREST.
 * If the request names the served schema, the response repeats it in Content-Profile.
 */
function checkSchema(schema: string, appliesTo = (_path: string) => true): Middleware {
  return (next) => (request, context) => {
    const header = WRITES.includes(context.method) ? 'content-profile' : 'accept-profile';
    const profile = appliesTo(context.location.path) ? request.headers.get(header) : null;
    if (profile === null) return next(request, context);
    if (profile !== schema) {
      throw new ApiError('PGRST106', `Invalid schema: ${profile}`, {
        hint: `Only the following schemas are exposed: ${schema}`,
      });
    }
    return andThen(next(request, context), (response) => withHeader(response, 'content-profile', schema));
  };
}

/** Runs the stages for a read or a write. */
function handler(
  options: AppOptions,
  bodies: BodyReceiver,
  authenticate: Authenticate | undefined,
  files: Files | undefined,
): Handler {
  const { catalogue, engine, plans = false, maxRows = 0, feed } = options;
  const writeOptions = { engine, bodies, files, allowUnfiltered: options.allowUnfilteredWrites };
  return (request, context) => {
    const visible = context.access?.permissions?.catalogue ?? catalogue;
    const own = ownPathOf(context.location.path, catalogue);
    if (own !== undefined) {
      context.route = own;
      if (context.method === 'OPTIONS')
        return { status: 200, headers: optionsHeaders(request, OWN_METHODS), body: null };
      return own === BATCH_PATH
        ? batch(writeOptions, request, visible, context)
        : undo(engine, files, request, visible, context);
    }
    const routine = routineNameOf(context.location.path, catalogue);
    if (routine !== undefined)
      return callRoutine({ engine, bodies, plans, maxRows }, routine, request, visible, context);
    const target = files && fileTarget(context, visible);
    if (target !== undefined) return putFile(files!, target, request, visible, context);
    const call = readCall(context.method, context.location, request, visible);
    context.route = routeOf(call);
    if (call.method === 'OPTIONS') return optionsAnswer(call);
    if (call.method !== 'GET' && call.method !== 'HEAD') return write(writeOptions, call, call.method, context);
    if (plans && acceptsPlan(request)) return explainRead(engine, call, context, maxRows);
    if (feed !== undefined && call.target.kind === 'collection' && acceptsEvents(request.headers.get('accept'))) {
      return feed(call, context, repeatedCheck(authenticate, request, context));
    }
    return call.target.kind === 'item'
      ? readItem(engine, call, call.target.key, context, maxRows)
      : readList(engine, call, context, maxRows);
  };
}
