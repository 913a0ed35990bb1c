/** The service as one function of a request: an ordered list of middleware around the handler in `requests/`. */
import { ApiError } from './base/errors.ts';
import { DEFAULT_MAX_FILE_BYTES, DEFAULT_MAX_RESIZED_MB } from './base/limits/files.ts';
import { lazy } from './base/memo.ts';
import type { Metric } from './base/metric.ts';
import type { Catalogue, Collection } from './collection/declaration.ts';
import { FILES_NAME, served } from './collection/files.ts';
import type { Engine, MaybePromise } from './engine/engine.ts';
import type { Files } from './files/files.ts';
import type { Storage } from './files/storage/storage.ts';
import type { Answer } from './http/answer.ts';
import { BodyReceiver } from './http/body/body-receiver.ts';
import { Call, type Peer } from './http/call.ts';
import { NO_SNIFF } from './http/edge/origins.ts';
import { locateRequest } from './http/edge/prefix.ts';
import { clientNetwork } from './http/edge/proxies.ts';
import { answerOptions, optionsAnswer } from './http/methods.ts';
import { acceptsEvents } from './http/negotiate.ts';
import type { Pages } from './http/pages.ts';
import { findRows, listedMethods, routeOf } from './http/rows.ts';
import { readSigned } from './http/signed-address.ts';
import { type RowsTarget, targetOf } from './http/target.ts';
import { personalRows } from './requests/personal-rows.ts';
import { fileField, putFile } from './requests/put-file.ts';
import { explainRead, readRows } from './requests/read.ts';
import { write } from './requests/write.ts';
import {
  type Authenticate,
  authenticator,
  type DatabaseRoles,
  databaseAuthenticator,
  type Identify,
  repeatedCheck,
  withAuthentication,
} from './response/authenticate.ts';
import { withRateLimit } from './response/edge-checks.ts';
import { withLanguages } from './response/languages.ts';
import { type Observers, withLogging } from './response/logging.ts';
import { answerResource, type Resources } from './response/own-resources.ts';
import { acceptsPlan } from './response/plan.ts';
import { andThen, compose, type Middleware, type RequestContext, type Responder } from './response/request-context.ts';
import { ResponseCache, responder } from './response/response-cache.ts';

/** Loaded on demand, which keeps the start fast. */
const loadBatch = lazy(() => require('./requests/batch.ts') as typeof import('./requests/batch.ts'));
const loadFiles = lazy(() => require('./files/files.ts') as typeof import('./files/files.ts'));
const loadRoutine = lazy(() => require('./requests/routine.ts') as typeof import('./requests/routine.ts'));
const loadUndo = lazy(() => require('./requests/undo.ts') as typeof import('./requests/undo.ts'));

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
  /** All schemas of the service, if it has several. */
  readonly schemas?: readonly string[];
  /** Present if roles of the database decide what callers may do. */
  readonly databaseRoles?: DatabaseRoles;
  /** The pages besides the collections: API description, console, health. */
  readonly pages?: Pages;
  /** Steps between authentication and the handler. */
  readonly steps?: readonly Middleware[];
  /** Users, keys, roles and the declaration. */
  readonly resources?: Resources;
  /** Whether clients may request query plans by Accept: application/vnd.pgrst.plan+json. */
  readonly plans?: boolean;
  /** Answers lists with Accept: text/event-stream. `check` repeats the authentication, for a catalogue with roles. */
  readonly feed?: (
    collection: Collection,
    context: RequestContext,
    check?: () => MaybePromise<string>,
  ) => MaybePromise<Answer>;
  /** Identifies the caller, for a catalogue with roles. If absent, every caller is anonymous. */
  readonly identify?: Identify;
}

export interface App {
  answer(call: Call): MaybePromise<Response>;
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
    ? new (loadFiles().Files)(engine, given.catalogue, { maxFileBytes, maxTotalBytes, maxResizedBytes }, given.storage)
    : undefined;
  const cache = engine.changes === undefined ? undefined : new ResponseCache(engine.changes);
  const { databaseRoles, schemas = [schema] } = options;
  const authenticate =
    databaseRoles === undefined ? authenticator(catalogue, options.identify) : databaseAuthenticator(databaseRoles);
  const middleware: readonly Middleware[] = [
    withEdgeChecks(edgeChecks, basePath, catalogue),
    withRateLimit(edgeChecks?.limit, authenticate),
    // `/` is a page, so its schema is checked before pages; collection paths only after authentication.
    checkSchema(schema, schemas, ({ target }) => target.kind === 'page' && target.path === '/'),
    servePages(pages, catalogue, authenticate),
    ...(files === undefined ? [] : [files.signedMiddleware]),
    withAuthentication(authenticate),
    checkSchema(schema, schemas),
    withLanguages(catalogue),
    ...(databaseRoles === undefined ? [] : [applyTimeZone]),
    ...(options.steps ?? []),
  ];
  const respond = compose(middleware, responderOf(options, { bodies, authenticate, files, cache }));
  const answer = withLogging(respond, options);
  return {
    answer,
    fetch: (request, peer) => answer(Call.of(request, peer)),
    metrics: () => [...(cache?.metrics() ?? []), ...bodies.metrics(), ...(files?.metrics.all() ?? [])],
    removeOrphans: async (now) => (await files?.removeOrphans(now)) ?? false,
  };
}

/** Checks Host and Origin, and sets the location and the target of the call. */
function withEdgeChecks(edgeChecks: AppOptions['edgeChecks'], basePath: string, catalogue: Catalogue): Middleware {
  const proxies = edgeChecks?.proxies;
  return (next) => (context) => {
    const { call } = context;
    edgeChecks?.enter(call);
    context.proxies = proxies;
    const location = locateRequest(call, basePath, proxies);
    call.signed = call.isRead ? readSigned(location.path) : undefined;
    call.location = call.signed === undefined ? location : { ...location, path: call.signed.address };
    call.target = targetOf(call.location.path, catalogue);
    if (call.isWrite && call.idempotencyKey !== null) context.network = clientNetwork(call, proxies);
    return next(context);
  };
}

function servePages(
  pages: Pages | undefined,
  catalogue: Catalogue,
  authenticate: Authenticate | undefined,
): Middleware {
  return (next) => (context) => {
    const { target } = context.call;
    if (target.kind !== 'page' || pages === undefined) return next(context);
    const loadVisibleCatalogue =
      authenticate &&
      (() =>
        andThen(
          authenticate(context),
          ({ permissions, described }) => described?.() ?? permissions?.catalogue ?? catalogue,
        ));
    const page = pages(target.path, context, loadVisibleCatalogue);
    return page === undefined ? next(context) : andThen(page, (response) => withHeader(response, ...NO_SNIFF));
  };
}

/** The database applies `Prefer: timezone`, as a setting of the session. */
const applyTimeZone: Middleware = (next) => (context) => {
  const { timezone } = context.call.preferences;
  if (timezone === undefined) return next(context);
  return andThen(next(context), (response) => {
    const others = response.headers.get('preference-applied');
    const applied = `${others === null ? '' : `${others}, `}timezone=${timezone}`;
    return response.ok ? withHeader(response, 'preference-applied', applied) : response;
  });
};

function withHeader(response: Response, name: string, value: string): Response {
  response.headers.set(name, value);
  return response;
}

/**
 * Rejects a schema that is not served. Writes name it in Content-Profile, reads in Accept-Profile, as in PostgREST.
 * If the request names it, or there are several, the response has it in Content-Profile.
 */
function checkSchema(schema: string, schemas: readonly string[], appliesTo = (_call: Call) => true): Middleware {
  return (next) => (context) => {
    const { call } = context;
    if (!appliesTo(call) || (call.profile === null && schemas.length === 1)) return next(context);
    if ((call.profile ?? schema) !== schema) {
      throw new ApiError('PGRST106', `Invalid schema: ${call.profile}`, {
        hint: `Only the following schemas are exposed: ${schemas.join(', ')}`,
      });
    }
    return andThen(next(context), (response) => withHeader(response, 'content-profile', schema));
  };
}

interface Parts {
  readonly bodies: BodyReceiver;
  readonly authenticate: Authenticate | undefined;
  readonly files: Files | undefined;
  readonly cache: ResponseCache | undefined;
}

/** Answers a call by the kind of its target. */
function responderOf(options: AppOptions, { bodies, authenticate, files, cache }: Parts): Responder {
  const { catalogue, engine, plans = false, maxRows = 0, feed, resources = {} } = options;
  const engineOf = (context: RequestContext) => context.engine ?? engine;
  const readingOf = (context: RequestContext) => ({ engine: engineOf(context), maxRows });
  const writingOf = (context: RequestContext) => ({
    engine: engineOf(context),
    bodies,
    files,
    allowUnfiltered: options.allowUnfilteredWrites,
    plans,
  });
  const personal = personalRows(engine, catalogue);
  const visibleTo = ({ access }: RequestContext) => access?.permissions?.catalogue ?? catalogue;

  const post = ({ route }: { readonly route: string }, context: RequestContext) => {
    context.route = route;
    return answerOptions(context.call, ['OPTIONS', 'POST']);
  };

  function answerRows(context: RequestContext, target?: RowsTarget): MaybePromise<Answer> {
    const { call } = context;
    const rows = findRows(call, visibleTo(context), target);
    context.route = routeOf(rows);
    if (call.method === 'OPTIONS') return optionsAnswer(call, listedMethods(rows));
    if (call.isWrite) return write(writingOf(context), rows, context);
    if (plans && acceptsPlan(call)) return explainRead(readingOf(context), rows, context);
    if (feed !== undefined && rows.key === undefined && acceptsEvents(call.accept)) {
      return feed(rows.collection, context, repeatedCheck(authenticate, context));
    }
    return readRows(readingOf(context), rows, context);
  }

  function answer(context: RequestContext): MaybePromise<Answer> {
    const { target } = context.call;
    switch (target.kind) {
      case 'batch':
        return post(target, context) ?? loadBatch().batch(writingOf(context), visibleTo(context), context);
      case 'undo':
        return post(target, context) ?? loadUndo().undo(engineOf(context), files, visibleTo(context), context);
      case 'routine':
        return loadRoutine().callRoutine(
          { ...readingOf(context), bodies, plans, writing: writingOf(context), catalogue },
          target.name,
          visibleTo(context),
          context,
        );
      case 'personal':
        if (options.databaseRoles === undefined) return personal(target, context);
        return answerRows(context);
      case 'resource':
        return answerResource(resources, target, context) ?? answerRows(context);
      case 'field': {
        const field = files && fileField(target, visibleTo(context));
        return field === undefined ? answerRows(context, target) : putFile(files!, field, context);
      }
      case 'collection':
      case 'item':
      case 'nowhere':
        return answerRows(context, target);
      case 'page': // It is not served here.
      case 'files':
      case 'file':
        return answerRows(context);
    }
  }

  const uncached = responder(answer);
  const cached = cache?.around(answer) ?? uncached;
  return (context) => {
    const { call } = context;
    const { target } = call;
    if (target.kind === 'file') return files!.bytes(target, context);
    if (target.kind === 'files' && !call.isRead) return files!.upload(context);
    // Callers of one role differ in these.
    return target.kind === 'personal' || target.kind === 'resource' ? uncached(context) : cached(context);
  };
}
