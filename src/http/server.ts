/** The socket: listens, hands requests to the app, and stops without cutting anyone off. */
import type { App } from '../app.ts';
import { HANDOVER_QUIET_MS, HANDOVER_SECONDS } from '../limits.ts';

export interface Listening {
  readonly url: string;
  /** Requests that are being answered. */
  readonly inProgress: () => number;
  /** No new connections; resolves when the requests under way are answered, or the time is up. */
  stop(seconds: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Whether another process may listen on the same port: the one that this one replaces, or that replaces it. */
  readonly shared?: boolean;
}

/** The app refuses larger bodies itself, with an explanation; the runtime's own limit would just cut the connection. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export function listen(app: App, { host, port, shared = false }: ListenOptions): Listening {
  let isStopping = false;
  let lastRequest = 0;
  const server = Bun.serve({
    hostname: host,
    port,
    reusePort: shared,
    maxRequestBodySize: NO_LIMIT,
    idleTimeout: 120,
    fetch: (request) => (isStopping ? lastAnswer(request) : app.fetch(request)),
  });

  /** The client is told to come back on another connection, which the other process may get. */
  async function lastAnswer(request: Request): Promise<Response> {
    lastRequest = performance.now();
    const response = await app.fetch(request);
    response.headers.set('connection', 'close');
    return response;
  }

  /**
   * A connection that waits to be accepted when the socket closes is lost. So while both processes listen, this one
   * goes on answering, and sends each client away, until nobody comes any more.
   */
  async function handedOver(): Promise<void> {
    const started = performance.now();
    lastRequest = started;
    while (performance.now() - started < HANDOVER_SECONDS * 1000) {
      await Bun.sleep(HANDOVER_QUIET_MS / 10);
      if (server.pendingRequests === 0 && performance.now() - lastRequest > HANDOVER_QUIET_MS) return;
    }
  }

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    inProgress: () => server.pendingRequests,
    async stop(seconds) {
      isStopping = true;
      if (shared && seconds > 0) await handedOver();
      const timer = setTimeout(() => server.stop(true), seconds * 1000);
      await server.stop();
      clearTimeout(timer);
    },
  };
}
