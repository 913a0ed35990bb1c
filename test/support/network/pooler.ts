/**
 * A transaction-mode pooler without support for prepared statements. It sends each transaction to the most recently
 * freed session, regardless of who prepared statements there. It can reject a startup parameter, as PgBouncer does.
 */
import { connect, createServer, type Socket } from 'node:net';

export interface Pooler {
  readonly port: number;
  readonly close: () => void;
}

interface Session {
  readonly socket: Socket;
  client: Client | undefined;
  /** The number of queries without a response. */
  open: number;
  received: Buffer;
}

interface Client {
  readonly socket: Socket;
  session: Session | undefined;
  isStarted: boolean;
}

const READY = 'Z'.charCodeAt(0);
const ENDS_A_QUERY = ['S', 'Q'].map((letter) => letter.charCodeAt(0));
const IDLE = 'I'.charCodeAt(0);

export async function startPooler(serverPort: number, refusedParameter?: string): Promise<Pooler> {
  const free: Session[] = [];
  const sockets = new Set<Socket>();

  function fromServer(session: Session, data: Buffer): void {
    session.client?.socket.write(data);
    session.received = Buffer.concat([session.received, data]);
    eachMessage(session, (type, body) => {
      if (type !== READY) return;
      if (session.client?.isStarted === true) session.open--;
      if (session.open > 0 || body[0] !== IDLE) return;
      if (session.client !== undefined) {
        session.client.isStarted = true;
        session.client.session = undefined;
      }
      session.client = undefined;
      free.unshift(session);
    });
  }

  function fromClient(client: Client, data: Buffer): void {
    if (refusedParameter !== undefined && !client.isStarted && data.includes(refusedParameter)) {
      client.socket.end(errorMessage('08P01', `unsupported startup parameter: ${refusedParameter}`));
      return;
    }
    if (client.isStarted && client.session === undefined) {
      const session = free.shift();
      if (session === undefined) throw new Error('no session is free');
      client.session = session;
      session.client = client;
    }
    const { session } = client;
    if (client.isStarted) session!.open += countQueries(data);
    session!.socket.write(data);
  }

  const listener = createServer((socket) => {
    const server = connect(serverPort, '127.0.0.1');
    const client: Client = { socket, session: undefined, isStarted: false };
    const session: Session = { socket: server, client, open: 0, received: Buffer.alloc(0) };
    client.session = session;
    for (const each of [socket, server]) sockets.add(each.on('error', () => undefined));
    server.on('data', (data: Buffer) => fromServer(session, data));
    socket.on('data', (data: Buffer) => fromClient(client, data));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as { port: number }).port,
    close: () => {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function eachMessage(session: Session, take: (type: number, body: Buffer) => void): void {
  while (session.received.length >= 5) {
    const end = 1 + session.received.readUInt32BE(1);
    if (session.received.length < end) return;
    take(session.received[0]!, session.received.subarray(5, end));
    session.received = session.received.subarray(end);
  }
}

/** Counts the queries in a chunk. The messages are small, so each arrives in one piece. */
function countQueries(data: Buffer): number {
  let count = 0;
  for (let at = 0; at + 5 <= data.length; at += 1 + data.readUInt32BE(at + 1)) {
    if (ENDS_A_QUERY.includes(data[at]!)) count++;
  }
  return count;
}

function errorMessage(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
