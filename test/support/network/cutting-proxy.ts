/**
 * A proxy between the service and its database that cuts connections on request. It cuts right before a given message
 * reaches the server, or right after, before the response returns.
 */
import { connect, createServer, type Socket } from 'node:net';

export type Moment = 'before it arrives' | 'before it is answered';

export interface CuttingProxy {
  readonly port: number;
  /** Cuts the next connection on which the service sends this text, once. Resolves after the cut. */
  readonly cut: (text: string, moment: Moment) => Promise<void>;
  readonly close: () => void;
}

interface Cut {
  readonly text: string;
  readonly moment: Moment;
  readonly done: () => void;
}

export async function startCuttingProxy(serverPort: number, host: string): Promise<CuttingProxy> {
  let next: Cut | undefined;
  const open = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(serverPort, host);
    let answerless: Cut | undefined;
    const end = () => {
      client.destroy();
      server.destroy();
      open.delete(client);
    };
    open.add(client);
    client.on('data', (data) => {
      const met = next !== undefined && data.includes(next.text) ? next : undefined;
      if (met !== undefined) next = undefined;
      if (met?.moment === 'before it arrives') {
        end();
        met.done();
        return;
      }
      answerless ??= met;
      server.write(data);
    });
    server.on('data', (data) => {
      if (answerless === undefined) {
        client.write(data);
        return;
      }
      end();
      answerless.done();
    });
    for (const socket of [client, server]) socket.on('close', end).on('error', end);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as { port: number }).port,
    cut: (text, moment) => new Promise((done) => (next = { text, moment, done })),
    close: () => {
      listener.close();
      for (const socket of open) socket.destroy();
    },
  };
}
