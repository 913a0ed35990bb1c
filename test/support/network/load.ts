/** Load generators: clients that send one request after another and count every request without a response. */
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';

export interface Load {
  readonly answered: () => number;
  readonly failures: () => readonly string[];
  readonly stop: () => Promise<void>;
}

/** The pause of a client between two requests, so that the load leaves processor time for the service. */
const PAUSE_MS = 1;

/**
 * Starts clients that never resend a request, so that every lost request is counted. They keep a connection until the
 * service closes it, or open a new one for each request.
 */
export function startLoad(
  port: number,
  clients: number,
  requestOf: (turn: number) => string,
  { keepAlive = true, isSecure = false } = {},
): Load {
  let isStopped = false;
  let answered = 0;
  const failures: string[] = [];

  async function client(first: number): Promise<void> {
    let connection: Connection | undefined;
    for (let turn = first; !isStopped; turn += clients) {
      try {
        connection ??= await Connection.open(port, isSecure);
        const { status, closes } = await connection.ask(requestOf(turn));
        if (status >= 400) failures.push(`status ${status}`);
        else answered++;
        if (closes || !keepAlive) {
          connection.close();
          connection = undefined;
        }
        await Bun.sleep(PAUSE_MS);
      } catch (error) {
        failures.push(String(error));
        connection?.close();
        connection = undefined;
      }
    }
    connection?.close();
  }

  const running = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return {
    answered: () => answered,
    failures: () => failures,
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** Whether the service closes the connection after this response. */
  readonly closes: boolean;
}

/** A connection that carries one request after another. */
export class Connection {
  private received = '';
  private settle: (() => void) | undefined;
  private ended: string | undefined;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1');
      this.settle?.();
    });
    const end = (reason: string) => {
      this.ended ??= reason;
      this.settle?.();
    };
    socket.on('error', (error) => end(String(error)));
    socket.on('close', () => end('closed before an answer'));
  }

  static open(port: number, isSecure = false): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const address = { port, host: '127.0.0.1' };
      const socket = isSecure ? connectSecurely({ ...address, rejectUnauthorized: false }) : connect(address);
      socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  /** The name in the server certificate of this connection. */
  get certificate(): string {
    return (this.socket as TLSSocket).getPeerCertificate().subjectaltname ?? '';
  }

  send(part: string): void {
    this.socket.write(part);
  }

  async ask(request: string): Promise<Answer> {
    this.received = '';
    this.socket.write(request);
    for (;;) {
      const head = this.received.indexOf('\r\n\r\n');
      const length = head === -1 ? undefined : /\r\ncontent-length: (\d+)/i.exec(this.received)?.[1];
      if (head !== -1 && this.received.length >= head + 4 + Number(length ?? 0)) {
        const status = Number(this.received.slice(9, 12));
        const closes = /\r\nconnection: close/i.test(this.received.slice(0, head + 2));
        return { status, closes, head: this.received.slice(0, head), body: this.received.slice(head + 4) };
      }
      if (this.ended !== undefined) throw new Error(this.ended);
      await new Promise<void>((resolve) => {
        this.settle = resolve;
      });
    }
  }

  close(): void {
    this.socket.destroy();
  }
}
