/**
 * A network between the service and its database that loses everything without a word when told to: connections stay
 * open, new ones are taken, and nothing passes. It never delivers what it held back.
 */
import { connect, createServer, type Socket } from 'node:net';

export interface SilentProxy {
  readonly port: number;
  /** Stops all traffic on all connections from now on. */
  readonly silence: () => void;
  /** Lets new connections work again. Connections opened before or during the silence stay silent for ever. */
  readonly speak: () => void;
  /**
   * Silences the next connection on which the service sends this text, right before or right after it. Resolves when it
   * is silent.
   */
  readonly silenceAt: (text: string, when?: 'before' | 'after') => Promise<void>;
  /** Sends new connections to this port from now on. */
  readonly leadTo: (port: number) => void;
  /** The number of connections that were opened so far. */
  readonly opened: () => number;
  /** Closes all connections, like a restart. */
  readonly cut: () => void;
  readonly close: () => void;
}

export async function startSilentProxy(serverPort: number, host = '127.0.0.1'): Promise<SilentProxy> {
  let port = serverPort;
  let isSilent = false;
  let opened = 0;
  let next: { readonly text: string; readonly when: 'before' | 'after'; readonly done: () => void } | undefined;
  const links = new Set<{ isSilent: boolean; readonly sockets: readonly Socket[] }>();
  const listener = createServer((client) => {
    const server = connect(port, host);
    opened++;
    const link = { isSilent, sockets: [client, server] };
    links.add(link);
    client.on('data', (data) => {
      if (next !== undefined && data.includes(next.text)) {
        if (next.when === 'after') server.write(data);
        link.isSilent = true;
        next.done();
        next = undefined;
      }
      if (!link.isSilent) server.write(data);
    });
    server.on('data', (data) => {
      if (!link.isSilent) client.write(data);
    });
    const end = () => {
      // A silent connection does not forward its end either.
      if (link.isSilent) return;
      links.delete(link);
      for (const socket of link.sockets) socket.destroy();
    };
    for (const socket of link.sockets) socket.on('close', end).on('error', end);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const endAll = () => {
    for (const { sockets } of links) for (const socket of sockets) socket.destroy();
    links.clear();
  };
  return {
    port: (listener.address() as { port: number }).port,
    silence: () => {
      isSilent = true;
      for (const link of links) link.isSilent = true;
    },
    speak: () => {
      isSilent = false;
    },
    silenceAt: (text, when = 'before') => new Promise((done) => (next = { text, when, done })),
    leadTo: (other) => {
      port = other;
    },
    opened: () => opened,
    cut: endAll,
    close: () => {
      listener.close();
      endAll();
    },
  };
}
