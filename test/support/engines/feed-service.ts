/** A service with feeds and agents on a real socket. Request headers name the caller, as in `roles.ts`. */
import { type App, type AppOptions, createApp } from '../../../src/app.ts';
import { defined } from '../../../src/base/defined.ts';
import type { Catalogue } from '../../../src/collection/declaration.ts';
import type { Row } from '../../../src/collection/value.ts';
import { pageOf, parseQuery } from '../../../src/dialect/query.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { Feed } from '../../../src/feed/feed.ts';
import type { FeedLimits } from '../../../src/feed/open-feeds.ts';
import { JSON_MEDIA } from '../../../src/http/negotiate.ts';
import { firstPage } from '../../../src/http/pages.ts';
import { planRead } from '../../../src/plan/read/read.ts';
import type { Identify } from '../../../src/response/authenticate.ts';
import { encodingOf, readWhole } from '../../../src/response/body.ts';
import { mcpPages } from '../../../src/serve/mcp/mcp.ts';
import { listen } from '../../../src/serve/server.ts';
import { EventClient } from '../network/event-stream.ts';

type Headers = Record<string, string>;

export interface FeedService {
  readonly engine: Engine;
  readonly feed: Feed;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Opens a feed and waits until it is ready. */
  readonly follow: (path: string, headers?: Headers, keys?: readonly string[]) => Promise<EventClient>;
  readonly resume: (
    path: string,
    from: EventClient,
    headers?: Headers,
    keys?: readonly string[],
  ) => Promise<EventClient>;
  /** The list as of a position. */
  readonly listAt: (path: string, position: string | undefined) => Promise<Row[]>;
  readonly url: string;
  readonly close: () => Promise<void>;
}

export function serveFeeds(
  engine: Engine,
  catalogue: Catalogue,
  {
    identify,
    maxFeeds = 100,
    maxFeedsPerCaller = maxFeeds,
    maxUnsentBytes,
    pages = () => undefined,
    ...others
  }: { identify?: Identify } & Partial<FeedLimits> & Pick<AppOptions, 'edgeChecks' | 'pages'> = {},
): FeedService {
  const feed = new Feed({ engine, catalogue, maxFeeds, maxFeedsPerCaller, ...defined({ maxUnsentBytes }) });
  const app: App = createApp({
    catalogue,
    engine,
    feed: feed.answer,
    maxBodyBytes: 8 * 1024 * 1024,
    allowUnfilteredWrites: true,
    pages: firstPage(
      pages,
      mcpPages(catalogue, (call) => app.answer(call)),
    ),
    ...others,
    ...(identify === undefined ? {} : { identify }),
  });
  const server = listen(app.answer, { host: '127.0.0.1', port: 0 });
  const request = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init);
  const clients: EventClient[] = [];
  const opened = async (client: Promise<EventClient>) => {
    clients.push(await client);
    return client;
  };
  return {
    engine,
    feed,
    fetch: request,
    follow: async (path, headers = {}, keys = ['id']) =>
      (await opened(EventClient.open(request, path, { headers, keys }))).ready(),
    resume: (path, from, headers = {}, keys = ['id']) =>
      opened(EventClient.open(request, path, { headers, from, keys })),
    async listAt(path, position) {
      const [name, query = ''] = path.slice(1).split('?');
      const parsed = parseQuery(query);
      const plan = planRead(catalogue.collections.get(name!)!, parsed, pageOf(parsed, null), undefined);
      const encoding = encodingOf(JSON_MEDIA, plan.columns);
      const { body } = await readWhole(await engine.read(plan, encoding, undefined, Number.parseInt(position!, 10)));
      return JSON.parse(body) as Row[];
    },
    url: server.url,
    async close() {
      for (const client of clients) client.close();
      feed.stop();
      await server.stop(1);
      await engine.close();
    },
  };
}
