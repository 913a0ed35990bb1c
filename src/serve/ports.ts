/** The ports of a service: the main port and the admin port. */

import type { App } from '../app.ts';
import { resolveProblem } from '../base/net/address.ts';
import { answersLate } from '../engine/open.ts';
import type { Pages } from '../http/pages.ts';
import { ConfigError, type ServeSettings } from '../settings/by-command.ts';
import type { Certificate } from './certificate.ts';
import { type ListenOptions, listen, type RunningServer } from './server.ts';

const PORT_WAIT_MS = 3_000;
const PORT_RETRY_MS = 50;

/** Throws a `ConfigError` if --host cannot be resolved. */
export async function checkHost({ host }: ServeSettings): Promise<void> {
  const problem = await resolveProblem(host);
  if (problem !== undefined) throw new ConfigError(`${problem}. Use an address of this machine, e.g. 127.0.0.1`);
}

export function startListening(
  { host, port, handover, workers, database }: ServeSettings,
  respond: App['answer'],
  notice: (message: string) => void,
  certificate?: Certificate,
): RunningServer {
  const options = { host, port, handover, certificate, notice, readsWait: answersLate(database) };
  return listenOrExplain(respond, workers === 1 ? options : { ...options, processes: workers }, '--port');
}

/** Serves health and metrics on a separate port for operators. */
export function startAdmin({ host, adminPort }: ServeSettings, pages: Pages): RunningServer | undefined {
  if (adminPort === undefined) return undefined;
  const respond: App['answer'] = (call) =>
    pages(new URL(call.requestUrl).pathname, { call }) ?? new Response(null, { status: 404 });
  return listenOrExplain(respond, { host, port: adminPort }, '--admin-port');
}

/**
 * The port that several processes will share. Picks a free port for 0, and throws if another process has the port. The
 * workers of a killed service close theirs as soon as they notice, so it waits for that.
 */
export async function sharedPort({ host, port, handover }: ServeSettings): Promise<number> {
  if (handover && port !== 0) return port;
  const end = performance.now() + PORT_WAIT_MS;
  for (;;) {
    try {
      const alone = listen(() => new Response(null, { status: 503 }), { host, port });
      await alone.stop(0);
      return Number(new URL(alone.url).port);
    } catch (error) {
      const isInUse = (error as { code?: string }).code === 'EADDRINUSE';
      if (!isInUse || performance.now() > end) throw explain(error, { host, port }, '--port');
      await Bun.sleep(PORT_RETRY_MS);
    }
  }
}

function listenOrExplain(respond: App['answer'], options: ListenOptions, flag: string): RunningServer {
  try {
    return listen(respond, options);
  } catch (error) {
    throw explain(error, options, flag);
  }
}

function explain(error: unknown, options: ListenOptions, flag: string): ConfigError {
  const { host, port } = options;
  const { code = '', message } = error as Error & { code?: string };
  return new ConfigError(reasons[code]?.(options, flag) ?? `cannot listen on ${host}:${port}: ${message}`);
}

const reasons: Readonly<Record<string, (where: ListenOptions, flag: string) => string>> = {
  EADDRINUSE: ({ host, port }, flag) => `port ${port} is in use on ${host}; choose another with ${flag}`,
  EADDRNOTAVAIL: ({ host }) => `this machine has no address ${host}; choose another with --host, or 0.0.0.0 for all`,
  EACCES: ({ port }, flag) => `this user may not listen on port ${port}; choose one above 1023 with ${flag}`,
};
