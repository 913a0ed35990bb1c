/** The socket: listens, hands requests to the app, and stops without cutting anyone off. */
import type { App } from '../app.ts';
import type { Peer } from '../http/peer.ts';
import { HANDOVER_QUIET_MS, HANDOVER_SECONDS, IDLE_CONNECTION_SECONDS } from '../limits.ts';
import type { Certificate } from './certificate.ts';
import { limitConnections } from './connection-limit.ts';
import { listeningSocket, SharedPort } from './shared-port.ts';

export interface Listening {
  readonly url: string;
  /** Requests that are being answered. */
  readonly inProgress: () => number;
  /**
   * Listens with another certificate beside the one of before, which the function that it returns then puts away: new
   * connections see the new one, and those that are open go on as they are.
   */
  renew(certificate: Certificate): () => Promise<void>;
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
  /** With one, it speaks HTTPS. */
  readonly certificate?: Certificate | undefined;
  /** Told when connections have to wait, and when no longer. Where there is nobody to tell, they never have to. */
  readonly notice?: (message: string) => void;
  /** A connection on which nothing happens for so long is closed. */
  readonly idleSeconds?: number;
}

type Server = Bun.Server<undefined>;

/** One whose certificate was replaced, with the connections that still use it. */
interface Earlier {
  readonly server: Server;
  /** Whether it takes connections still. */
  isListening: boolean;
  lastRequest: number;
}

/** The app refuses larger bodies itself, with an explanation; the runtime's own limit would just cut the connection. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** How long connections that were being opened may take to arrive, before the socket that they came to is closed. */
const ARRIVAL_MS = 1_000;
const LOOK_EVERY_MS = 5_000;

export function listen(app: App, options: ListenOptions): Listening {
  const { host, processes, handover = false, certificate, notice, idleSeconds = IDLE_CONNECTION_SECONDS } = options;
  const isSecure = certificate !== undefined;
  let isStopping = false;
  let lastRequest = 0;
  let current = open(options.port, certificate);
  const port = current.port!;
  const earlier = new Set<Earlier>();
  const limitNow = () => (notice === undefined ? () => undefined : limitConnections(port, notice));
  let stopLimiting = limitNow();
  const looking = isSecure ? setInterval(closeUnused, LOOK_EVERY_MS) : undefined;
  looking?.unref();

  function open(at: number, tls: Certificate | undefined): Server {
    return Bun.serve({
      hostname: host,
      port: at,
      // Whoever has a certificate listens with the next one before it puts this one away.
      reusePort: handover || processes !== undefined || isSecure,
      maxRequestBodySize: NO_LIMIT,
      idleTimeout: idleSeconds,
      ...(tls === undefined ? {} : { tls: { cert: tls.cert, key: tls.key } }),
      fetch: (request, server) => (isStopping ? lastAnswer(request, server) : answer(request, server)),
    });
  }

  function answer(request: Request, server: Server): ReturnType<App['fetch']> {
    if (earlier.size > 0) noteUse(server);
    return app.fetch(request, new Connected(request, server, isSecure, idleSeconds));
  }

  /** The client is told to come back on another connection, which the other process may get. */
  async function lastAnswer(request: Request, server: Server): Promise<Response> {
    lastRequest = performance.now();
    const response = await answer(request, server);
    response.headers.set('connection', 'close');
    return response;
  }

  /**
   * Connections go to the other service from now on. Those that are here are answered, and each client is sent away, until
   * nobody comes any more.
   */
  async function handedOver(): Promise<void> {
    const shared = new SharedPort(port, processes ?? 1);
    shared.leave();
    const started = performance.now();
    lastRequest = started;
    while (performance.now() - started < HANDOVER_SECONDS * 1000) {
      await Bun.sleep(HANDOVER_QUIET_MS / 10);
      if (inProgress() === 0 && performance.now() - lastRequest > HANDOVER_QUIET_MS) break;
    }
    shared.close();
  }

  const servers = () => [current, ...[...earlier].map(({ server }) => server)];
  const inProgress = () => servers().reduce((sum, { pendingRequests }) => sum + pendingRequests, 0);

  function noteUse(server: Server): void {
    for (const each of earlier) if (each.server === server) each.lastRequest = performance.now();
  }

  /** By then the runtime has closed each of its connections, since nothing happened on it. */
  function closeUnused(): void {
    for (const each of earlier) {
      if (each.isListening || each.server.pendingRequests > 0) each.lastRequest = performance.now();
      if (performance.now() - each.lastRequest < (idleSeconds + 10) * 1000) continue;
      earlier.delete(each);
      void each.server.stop();
    }
  }

  function renew(renewed: Certificate): () => Promise<void> {
    const socket = listeningSocket(port);
    const before: Earlier = { server: current, isListening: true, lastRequest: 0 };
    current = open(port, renewed);
    earlier.add(before);
    return async () => {
      if (socket === undefined) {
        earlier.delete(before);
        return before.server.stop();
      }
      const shared = new SharedPort(port, processes ?? 1, socket);
      shared.leave();
      await Bun.sleep(ARRIVAL_MS);
      if (isStopping) return;
      shared.closeAlone();
      before.isListening = false;
      // It holds the socket that connections came from so far.
      stopLimiting();
      stopLimiting = limitNow();
    };
  }

  return {
    url: `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    inProgress,
    renew,
    async stop(seconds) {
      isStopping = true;
      stopLimiting();
      clearInterval(looking);
      if (handover && seconds > 0) await handedOver();
      const all = servers();
      const timer = setTimeout(() => all.map((server) => server.stop(true)), seconds * 1000);
      await Promise.all(all.map((server) => server.stop()));
      clearTimeout(timer);
    },
  };
}

class Connected implements Peer {
  /** Asked of the system each time, which takes a microsecond. */
  private known: string | undefined;

  constructor(
    private readonly request: Request,
    private readonly server: Server,
    readonly isSecure: boolean,
    private readonly idleSeconds: number,
  ) {}

  atWork(isAtWork: boolean): void {
    this.server.timeout(this.request, isAtWork ? 0 : this.idleSeconds);
  }

  address(): string | undefined {
    this.known ??= this.server.requestIP(this.request)?.address;
    return this.known;
  }
}
