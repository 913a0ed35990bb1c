/** A load balancer for tests: one address for several servers, in round-robin order. */
import { connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  readonly port: number;
  readonly close: () => void;
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  let next = 0;
  const open = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(ports[next++ % ports.length]!, '127.0.0.1');
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('close', end).on('error', end);
    }
    client.pipe(server);
    server.pipe(client);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as { port: number }).port,
    close: () => {
      listener.close();
      for (const socket of open) socket.destroy();
    },
  };
}
