/** The socket: listens, hands requests to the app, and stops without cutting anyone off. */
import type { App } from '../app.ts';
import { HANDOVER_QUIET_MS, HANDOVER_SECONDS, IDLE_CONNECTION_SECONDS } from '../limits.ts';
import { limitConnections } from './connection-limit.ts';
import { SharedPort } from './shared-port.ts';

export interface Listening {
  readonly url: string;
  /** The address that a request came from; undefined where the client is gone. */
  readonly addressOf: (request: Request) => string | undefined;
  /** Requests that are being answered. */
  readonly inProgress: () => number;
  /** No new connections; resolves when the requests under way are answered, or the time is up. */
  stop(seconds: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** How many processes of this service listen on the port together; absent where this one has it for itself. */
  readonly processes?: number;
  /** Whether another service may listen on it meanwhile: the one that this one replaces, or that replaces it. */
  readonly handover?: boolean;
  /** Told when connections have to wait, and when no longer. Where there is nobody to tell, they never have to. */
  readonly notice?: (message: string) => void;
  /** A connection on which nothing happens for so long is closed. */
  readonly idleSeconds?: number;
}

/** The app refuses larger bodies itself, with an explanation; the runtime's own limit would just cut the connection. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export function listen(app: App, options: ListenOptions): Listening {
  const { host, port, processes, handover = false, notice, idleSeconds = IDLE_CONNECTION_SECONDS } = options;
  let isStopping = false;
  let lastRequest = 0;
  const server = Bun.serve({
    hostname: host,
    port,
    reusePort: handover || processes !== undefined,
    maxRequestBodySize: NO_LIMIT,
    idleTimeout: idleSeconds,
    fetch: (request) => (isStopping || request.method === 'CONNECT' ? lastAnswer(request) : answer(request)),
  });

  const stopLimiting = notice === undefined ? () => undefined : limitConnections(server.port!, notice);

  function answer(request: Request): ReturnType<App['fetch']> {
    return app.fetch(request, (isAtWork) => server.timeout(request, isAtWork ? 0 : idleSeconds));
  }

  /**
   * The client is told to come back on another connection, which the other process may get. After a CONNECT it must: nothing
   * more is read from this one, since Bun takes it for a tunnel.
   */
  async function lastAnswer(request: Request): Promise<Response> {
    lastRequest = performance.now();
    const response = await answer(request);
    response.headers.set('connection', 'close');
    return response;
  }

  /**
   * Connections go to the other service from now on. Those that are here are answered, and each client is sent away, until
   * nobody comes any more.
   */
  async function handedOver(): Promise<void> {
    const shared = new SharedPort(server.port!, processes ?? 1);
    shared.leave();
    const started = performance.now();
    lastRequest = started;
    while (performance.now() - started < HANDOVER_SECONDS * 1000) {
      await Bun.sleep(HANDOVER_QUIET_MS / 10);
      if (server.pendingRequests === 0 && performance.now() - lastRequest > HANDOVER_QUIET_MS) break;
    }
    shared.close();
  }

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    addressOf: (request) => server.requestIP(request)?.address,
    inProgress: () => server.pendingRequests,
    async stop(seconds) {
      isStopping = true;
      stopLimiting();
      if (handover && seconds > 0) await handedOver();
      const timer = setTimeout(() => server.stop(true), seconds * 1000);
      await server.stop();
      clearTimeout(timer);
    },
  };
}
