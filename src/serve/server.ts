/** The HTTP server: listens, passes requests to the app, and stops gracefully. */
import type { App } from '../app.ts';
import { HANDOVER_QUIET_MS, HANDOVER_SECONDS, IDLE_CONNECTION_SECONDS } from '../base/limits/http.ts';
import { Call, type Peer } from '../http/call.ts';
import type { Certificate } from './certificate.ts';
import { limitConnections } from './linux-sockets/connection-limit.ts';
import { listeningSocket, SharedPort } from './linux-sockets/shared-port.ts';
import { type Connection, Realtime } from './realtime/realtime.ts';
import { Turns } from './turns.ts';

export interface RunningServer {
  readonly url: string;
  /** The number of requests in flight. */
  readonly inProgress: () => number;
  /** The requests so far. */
  readonly received: () => number;
  /**
   * Listens with another certificate beside the previous one. The returned function retires the previous one: new
   * connections get the new certificate, and open connections continue.
   */
  renew(certificate: Certificate): () => Promise<void>;
  /**
   * Accepts no new connections. Resolves when the requests in flight are answered, or the time is up. If it is
   * abandoned, it does not wait for a successor on its port.
   */
  stop(seconds: number, isAbandoned?: () => boolean): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The number of processes that share the port; absent if this one listens alone. */
  readonly processes?: number;
  /** Whether the service that this one replaces, or that replaces it, may listen at the same time. */
  readonly handover?: boolean;
  /** If present, the server speaks HTTPS. */
  readonly certificate?: Certificate | undefined;
  /** Reports when connections have to wait, and when they no longer do. If absent, connections are not limited. */
  readonly notice?: (message: string) => void;
  /** An idle connection is closed after this time. */
  readonly idleSeconds?: number;
  /** Whether reads wait for the end of their turn, as writes do. */
  readonly readsWait?: boolean;
}

type Server = Bun.Server<Connection>;

/** A server with a replaced certificate, and the connections that still use it. */
interface Earlier {
  readonly server: Server;
  /** Whether it still accepts connections. */
  isListening: boolean;
  lastRequest: number;
}

/** The app rejects large bodies with an explanation; the runtime's limit would just cut the connection. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** Time for connections in their handshake to arrive before their socket is closed. */
const ARRIVAL_MS = 1_000;
const LOOK_EVERY_MS = 5_000;

export function listen(respond: App['answer'], options: ListenOptions): RunningServer {
  const { host, processes, handover = false, certificate, notice, readsWait = false } = options;
  const { idleSeconds = IDLE_CONNECTION_SECONDS } = options;
  const isSecure = certificate !== undefined;
  const realtime = new Realtime(respond);
  const turns = new Turns();
  let isStopping = false;
  let lastRequest = 0;
  let received = 0;
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
      // The runtime's page about an error would show the sources.
      development: false,
      // A renewed certificate listens before the previous one is retired.
      reusePort: handover || processes !== undefined || isSecure,
      maxRequestBodySize: NO_LIMIT,
      idleTimeout: idleSeconds,
      ...(tls === undefined ? {} : { tls: { cert: tls.cert, key: tls.key } }),
      fetch: (request, server) => {
        if (isStopping) return lastAnswer(request, server);
        if (realtime.upgrade(request, server, isSecure)) return undefined;
        return turns.take(
          readsWait || (request.method !== 'GET' && request.method !== 'HEAD'),
          // Before authentication, so anybody can pretend to be several.
          () => request.headers.get('authorization') ?? server.requestIP(request)?.address ?? '',
          () => answer(request, server),
        );
      },
      websocket: realtime.handlers,
    });
  }

  function answer(request: Request, server: Server): ReturnType<App['answer']> {
    received++;
    if (earlier.size > 0) noteUse(server);
    return respond(Call.of(request, new Connected(request, server, isSecure, idleSeconds)));
  }

  /** Asks the client to reconnect, which may reach the other process. */
  async function lastAnswer(request: Request, server: Server): Promise<Response> {
    lastRequest = performance.now();
    const response = await answer(request, server);
    response.headers.set('connection', 'close');
    return response;
  }

  /** Steers new connections to the other service. Open ones get `Connection: close`, until no requests arrive. */
  async function handedOver(isAbandoned: () => boolean): Promise<void> {
    const shared = new SharedPort(port, processes ?? 1);
    shared.leave();
    const started = performance.now();
    lastRequest = started;
    while (!isAbandoned() && performance.now() - started < HANDOVER_SECONDS * 1000) {
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

  /** Stops servers whose connections have all been idle long enough to be closed by the runtime. */
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
    const previous: Earlier = { server: current, isListening: true, lastRequest: 0 };
    current = open(port, renewed);
    earlier.add(previous);
    return async () => {
      if (socket === undefined) {
        earlier.delete(previous);
        return previous.server.stop();
      }
      const shared = new SharedPort(port, processes ?? 1, socket);
      shared.leave();
      await Bun.sleep(ARRIVAL_MS);
      if (isStopping) return;
      shared.closeAlone();
      previous.isListening = false;
      // The limit still refers to the previous socket.
      stopLimiting();
      stopLimiting = limitNow();
    };
  }

  return {
    url: `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    inProgress,
    received: () => received,
    renew,
    async stop(seconds, isAbandoned = () => false) {
      isStopping = true;
      stopLimiting();
      clearInterval(looking);
      realtime.stop();
      if (handover && seconds > 0 && !isAbandoned()) await handedOver(isAbandoned);
      const all = servers();
      const timer = setTimeout(() => all.map((server) => server.stop(true)), seconds * 1000);
      await Promise.all(all.map((server) => server.stop()));
      clearTimeout(timer);
    },
  };
}

class Connected implements Peer {
  /** Cached, since each system call takes a microsecond. */
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

  drop(): void {
    this.server.timeout(this.request, 1);
  }

  address(): string | undefined {
    this.known ??= this.server.requestIP(this.request)?.address;
    return this.known;
  }
}
