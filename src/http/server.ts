/** The socket: listens, hands requests to the app, and stops without cutting anyone off. */
import type { App } from '../app.ts';

export interface Listening {
  readonly url: string;
  /** No new connections; resolves when the requests under way are answered, or the time is up. */
  stop(seconds: number): Promise<void>;
}

/** The app refuses larger bodies itself, with an explanation; the runtime's own limit would just cut the connection. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export function listen(app: App, host: string, port: number): Listening {
  const server = Bun.serve({
    hostname: host,
    port,
    maxRequestBodySize: NO_LIMIT,
    idleTimeout: 120,
    fetch: (request) => app.fetch(request),
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    async stop(seconds) {
      const timer = setTimeout(() => server.stop(true), seconds * 1000);
      await server.stop();
      clearTimeout(timer);
    },
  };
}
