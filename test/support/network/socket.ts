/** A raw TCP conversation with a service, in which the test controls every byte. */
import { connect, type Socket } from 'node:net';
import { until } from '../processes/process.ts';

export interface Conversation {
  readonly send: (bytes: string | Uint8Array) => void;
  /** Returns everything received so far. */
  readonly received: () => string;
  readonly isClosed: () => boolean;
  /** Waits until the received text meets a condition or the other side closes. */
  readonly until: (what: string, condition: (received: string) => boolean) => Promise<string>;
  readonly close: () => void;
}

export async function talkTo(port: number): Promise<Conversation> {
  let received = '';
  let isClosed = false;
  const socket = await connected(port);
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  // A reset also closes the connection.
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  return {
    send: (bytes) => void socket.write(bytes),
    received: () => received,
    isClosed: () => isClosed,
    until: async (what, condition) => {
      await until(what, () => isClosed || condition(received));
      return received;
    },
    close: () => void socket.destroy(),
  };
}

/** Checks whether a process listens on the port. */
export async function isListening(port: number): Promise<boolean> {
  try {
    (await connected(port)).destroy();
    return true;
  } catch {
    return false;
  }
}

/** Returns the status of every response in the received text. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}
