/** Websockets of Supabase Realtime: `supabase.channel().on('postgres_changes', …)`. */
import type { App } from '../../app.ts';
import {
  MAX_CHANNELS,
  MAX_REALTIME_MESSAGE_BYTES,
  MAX_UNSENT_BYTES,
  REALTIME_IDLE_SECONDS,
} from '../../base/limits/feed.ts';
import { LiveCall, type LiveSteps } from '../../feed/feed-event.ts';
import { type Peer, pathAndQuery, UNKNOWN } from '../../http/call.ts';
import { Channel, RejectedRequest } from './channel.ts';
import { type Message, type Printer, parseMessage, printerOf, readBindings, unsupported } from './protocol.ts';

const PATH = '/realtime/v1/websocket';
/** Cookies are left out: a page of any origin may open a websocket, and the browser would send them. */
const FORWARDED = [
  'host',
  'origin',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-prefix',
];

type Socket = Bun.ServerWebSocket<Connection>;

export class Realtime {
  private readonly open = new Set<Socket>();

  constructor(private readonly answer: App['answer']) {}

  /** Returns false for all other requests. */
  upgrade(request: Request, server: Bun.Server<Connection>, isSecure: boolean): boolean {
    if (!request.url.includes(PATH) || request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return false;
    // The URL of a request without a usable Host cannot be parsed.
    const url = new URL(`http://localhost${pathAndQuery(request.url)}`);
    if (!url.pathname.endsWith(PATH)) return false;
    const address = server.requestIP(request)?.address;
    const peer: Peer = { atWork: () => {}, drop: () => data.drained(), address: () => address, isSecure };
    const data: Connection = new Connection(this.answer, url, new Headers(request.headers), peer);
    return server.upgrade(request, { data });
  }

  readonly handlers: Bun.WebSocketHandler<Connection> = {
    maxPayloadLength: MAX_REALTIME_MESSAGE_BYTES,
    idleTimeout: REALTIME_IDLE_SECONDS,
    open: (socket) => {
      this.open.add(socket);
    },
    message: (socket, text) => socket.data.receive(socket, text),
    drain: (socket) => socket.data.drained(),
    close: (socket) => {
      this.open.delete(socket);
      socket.data.close();
    },
  };

  /** Clients connect again, which may reach another process. */
  stop(): void {
    for (const socket of this.open) socket.close(1012, 'the service stops');
  }
}

export class Connection {
  private readonly channels = new Map<string, Channel>();
  private readonly print: Printer;
  private readonly base: string;
  private isClosed = false;
  private turn: Promise<void> = Promise.resolve();
  /** The messages that wait for their turn: their number and their characters. */
  private waiting = 0;
  private waitingLength = 0;
  /** Senders that wait until the client has read. */
  private blocked: (() => void)[] = [];

  constructor(
    private readonly answer: App['answer'],
    private readonly url: URL,
    private readonly headers: Headers,
    private readonly peer: Peer,
  ) {
    this.print = printerOf(url.searchParams.get('vsn'));
    this.base = `${url.origin}${url.pathname.slice(0, -PATH.length)}`;
  }

  /** Handles messages one after the other, no faster than the client reads the replies. */
  receive(socket: Socket, text: string | Buffer): void {
    this.waiting++;
    this.waitingLength += text.length;
    if (this.waiting > MAX_CHANNELS || this.waitingLength > MAX_UNSENT_BYTES) {
      // A close frame would wait behind replies that nobody reads.
      socket.terminate();
      return;
    }
    this.turn = this.turn.then(async () => {
      const message = this.isClosed ? undefined : parseMessage(text);
      if (message !== undefined) {
        const [status, response] = await this.handle(socket, message).then(
          (found) => ['ok', found],
          (error: Error) => ['error', { reason: error.message }],
        );
        await this.send(socket, { ...message, event: 'phx_reply' }, JSON.stringify({ status, response }));
      }
      this.waiting--;
      this.waitingLength -= text.length;
    });
  }

  /** The client has read a part, or a feed was cut. */
  drained(): void {
    for (const resume of this.blocked.splice(0)) resume();
  }

  close(): void {
    this.isClosed = true;
    this.drained();
    for (const channel of this.channels.values()) channel.close();
  }

  /** Returns the response. Throws an error with a message for the client. */
  private async handle(socket: Socket, { topic, event, payload }: Message): Promise<object> {
    const channel = this.channels.get(topic);
    switch (event) {
      case 'heartbeat':
        return {};
      case 'phx_join':
        return this.join(socket, topic, payload);
      case 'phx_leave':
        channel?.close();
        this.channels.delete(topic);
        return {};
      case 'access_token':
        await channel?.open(tokenIn(payload)).catch((error) => {
          void this.send(socket, { topic, event: 'phx_error' }, '{}');
          throw error;
        });
        return {};
    }
    throw unsupported(`'${event}'`);
  }

  private async join(socket: Socket, topic: string, payload: Message['payload']): Promise<object> {
    this.channels.get(topic)?.close();
    if (this.channels.size >= MAX_CHANNELS) throw new Error(`a connection has at most ${MAX_CHANNELS} channels`);
    const bindings = readBindings(payload);
    const channel = new Channel(bindings, {
      request: (path, headers) => this.feed(path, headers),
      tables: (headers) => this.tables(headers),
      send: (event, text, feed) => this.send(socket, { topic, event }, text, feed),
    });
    this.channels.set(topic, channel);
    await channel.open(tokenIn(payload)).catch((error) => {
      channel.close();
      if (this.channels.get(topic) === channel) this.channels.delete(topic);
      throw error;
    });
    if (this.isClosed) channel.close();
    return { postgres_changes: bindings.map(({ id, given }) => ({ ...given, id })) };
  }

  private async feed(path: string, headers: Headers): Promise<LiveSteps> {
    const { call, response } = await this.request(path, headers);
    if (call.steps !== undefined) return call.steps;
    throw await rejectionOf(response);
  }

  private async tables(headers: Headers): Promise<readonly string[]> {
    headers.set('accept', 'application/openapi+json');
    const { response } = await this.request('/', headers);
    if (!response.ok) throw await rejectionOf(response);
    return Object.keys(((await response.json()) as { definitions: object }).definitions);
  }

  private async request(path: string, headers: Headers): Promise<{ call: LiveCall; response: Response }> {
    const apiKey = this.url.searchParams.get('apikey');
    if (apiKey !== null) headers.set('apikey', apiKey);
    for (const name of FORWARDED) {
      const value = this.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    const call = new LiveCall('GET', UNKNOWN, headers, new URL(`${this.base}${path}`).href, this.peer);
    const response = await this.answer(call);
    const origin = this.headers.get('origin');
    if (origin !== null && !this.mayRead(origin, response)) {
      call.steps?.cancel();
      throw new Error(`pages of ${origin} may not read this service. Allow them with --cors-origins`);
    }
    return { call, response };
  }

  /** Browsers do not restrict websockets by CORS, so the service does it: a page may read what fetch could read. */
  private mayRead(origin: string, { headers }: Response): boolean {
    const allowed = headers.get('access-control-allow-origin');
    return allowed === '*' || allowed === origin || URL.parse(origin)?.host === this.headers.get('host');
  }

  /** Waits until the client has room for more. The rest of a feed that is cut is not sent. */
  private async send(
    socket: Socket,
    message: Parameters<Printer>[0],
    payload: string,
    feed?: LiveSteps,
  ): Promise<void> {
    const isOver = () => this.isClosed || feed?.isCut === true;
    while (!isOver() && socket.getBufferedAmount() > MAX_UNSENT_BYTES) {
      await new Promise<void>((resolve) => this.blocked.push(resolve));
    }
    if (!isOver()) socket.send(this.print(message, payload));
  }
}

function tokenIn({ access_token: token }: Message['payload']): string | undefined {
  return typeof token === 'string' ? token : undefined;
}

async function rejectionOf(response: Response): Promise<RejectedRequest> {
  const { code, message, hint } = (await response.json()) as { code: string; message: string; hint: string | null };
  return new RejectedRequest(code, hint === null ? message : `${message}. ${hint}`);
}
