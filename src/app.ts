/**
 * The service as one function of a request. What is kept, who asks, how often they may and what is observed are wrappers
 * around the ways of a request, which `requests/` shows stage by stage.
 */
import type { Catalogue } from './collection/declaration.ts';
import type { Engine, MaybePromise, Metric } from './engine/engine.ts';
import { Bodies } from './http/bodies.ts';
import { firstPart, pathAndQuery, readCall, routeOf } from './http/call.ts';
import { NO_SNIFF, optionsAnswer } from './http/cors.ts';
import type { Pages } from './http/pages.ts';
import type { Peer } from './http/peer.ts';
import { locate } from './http/prefix.ts';
import { checkProfile } from './http/profile.ts';
import { explainRead, readItem, readList } from './requests/read.ts';
import { write } from './requests/write.ts';
import { admitting, byRole, type Identify } from './response/callers.ts';
import { KeptAnswers, responder } from './response/kept-answers.ts';
import { withLimit } from './response/limited.ts';
import { type Observers, observed } from './response/observed.ts';
import { acceptsPlan } from './response/plan.ts';
import { type Answerer, andThen, type Responder } from './response/trace.ts';

export interface AppOptions extends Observers {
  readonly catalogue: Catalogue;
  readonly engine: Engine;
  readonly maxBodyBytes: number;
  /** Of all bodies together, where it is not the usual limit. */
  readonly maxBodiesBytes?: number;
  readonly allowUnfilteredWrites: boolean;
  /** What a proxy puts before the paths of the service, such as /api. */
  readonly basePath?: string;
  /** The name that Accept-Profile and Content-Profile may have. */
  readonly schema?: string;
  /** What else is served beside the collection: descriptions, the console, health. Undefined where nothing is. */
  readonly pages?: Pages;
  /** Whether Accept: application/vnd.pgrst.plan+json is answered. */
  readonly plans?: boolean;
  /** Whose credentials a request carries; asked where the catalogue has roles. Absent: everybody is anonymous. */
  readonly identify?: Identify;
}

export interface App {
  fetch(request: Request, peer?: Peer): MaybePromise<Response>;
  /** What it keeps, for the metrics. */
  metrics?(): readonly Metric[];
}

export function createApp(options: AppOptions): App {
  const { catalogue, engine, pages, edges, basePath = '', schema = 'public', maxBodyBytes, maxBodiesBytes } = options;
  const bodies = new Bodies(maxBodyBytes, maxBodiesBytes);
  const answer = answering(options, bodies);
  const kept = engine.changes === undefined ? undefined : new KeptAnswers(engine.changes);
  const admit = admitting(catalogue, options.identify);
  const respond = kept?.around(answer) ?? responder(answer);
  const read = byRole((request, trace) => {
    checkProfile(trace.method, request.headers, schema);
    return respond(request, trace);
  }, admit);
  const pageOrRead: Responder = (request, trace) => {
    const { prefix, path } = trace.place;
    // No collection may have the name of a page.
    if (catalogue.collections.has(firstPart(path))) return read(request, trace);
    const seen = admit && (() => andThen(admit(request, trace), ({ sight }) => sight?.catalogue ?? catalogue));
    const page = pages?.(path.split('?', 1)[0]!, request, prefix, seen, trace);
    return page === undefined ? read(request, trace) : andThen(page, withoutSniffing);
  };
  const limited = edges?.limit === undefined ? pageOrRead : withLimit(pageOrRead, edges.limit, admit);
  const entered: Responder = (request, trace) => {
    edges?.enter(request, trace);
    trace.place = locate(pathAndQuery(trace.url), request, basePath, trace.peer, edges?.proxies);
    return limited(request, trace);
  };
  return { fetch: observed(entered, options), metrics: () => [...(kept?.metrics() ?? []), ...bodies.metrics()] };
}

function withoutSniffing(page: Response): Response {
  page.headers.set(...NO_SNIFF);
  return page;
}

/** Which way a request goes. */
function answering(options: AppOptions, bodies: Bodies): Answerer {
  const { catalogue, engine, plans = false } = options;
  const writing = { engine, bodies, allowUnfiltered: options.allowUnfilteredWrites };
  return (request, trace) => {
    const seen = trace.admitted?.sight?.catalogue ?? catalogue;
    const call = readCall(trace.method, trace.place, request, seen);
    trace.route = routeOf(call);
    if (call.method === 'OPTIONS') return optionsAnswer(call);
    if (call.method !== 'GET' && call.method !== 'HEAD') return write(writing, call, call.method, trace);
    if (plans && acceptsPlan(request)) return explainRead(engine, call, trace);
    return call.target.kind === 'item' ? readItem(engine, call, call.target.key, trace) : readList(engine, call, trace);
  };
}
