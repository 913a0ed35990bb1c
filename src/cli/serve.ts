/** `catalogue serve`: opens the database, listens, and stops cleanly when asked to. */
import { type App, createApp } from '../app.ts';
import { products } from '../collection/products.ts';
import referenceProducts from '../collection/reference-products.json' with { type: 'json' };
import { ConfigError, describeSettings, readSettings, SERVE_SETTINGS, type ServeSettings } from '../config.ts';
import { CONSOLE_PATH, consolePages } from '../console/pages.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Engine } from '../engine/engine.ts';
import { maintenanceOf } from '../engine/maintenance.ts';
import { openEngine } from '../engine/open.ts';
import { Refusal } from '../errors.ts';
import { firstOf } from '../http/pages.ts';
import { type Listening, type ListenOptions, listen } from '../http/server.ts';
import { DRAIN_SECONDS } from '../limits.ts';
import { Log } from '../observe/log.ts';
import { Observation } from '../observe/observation.ts';
import { requestId } from '../observe/request-id.ts';
import { openApiPages } from '../openapi/pages.ts';
import { planRead } from '../plan/read.ts';
import type { Command } from './command.ts';
import { DESCRIBED } from './openapi.ts';
import { ScheduledBackups } from './scheduled-backups.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'serve the catalogue over HTTP',
  help: () => `Usage: catalogue serve [flags]

Serves the catalogue over HTTP. A new database is created with the reference products in it.

${describeSettings(SERVE_SETTINGS)}`,

  async run(args, env) {
    const settings = readSettings(SERVE_SETTINGS, args, env);
    // Before anything is opened: whoever reads the greeting may stop the service at once.
    const askedToStop = new Promise<void>((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
    });
    const log = openLog(settings);
    let app: App | undefined;
    let engine: Engine | undefined;
    let listening: Listening | undefined;
    let admin: Listening | undefined;
    let backups: ScheduledBackups | undefined;
    let drainSeconds = 0;
    const observation = new Observation(products, settings, log, {
      engine: () => engine,
      inProgress: () => listening?.inProgress() ?? 0,
      app: () => app?.readings?.() ?? [],
    });
    try {
      admin = startAdmin(settings, observation);
      // The port first, so that one in use leaves no database behind. What follows runs in the same turn of the event
      // loop: no request is read before the app is there. Whoever takes over a port opens the database first, since
      // the process before it still answers.
      if (!settings.handover) listening = startListening(settings, { fetch: (request) => app!.fetch(request) });
      engine = openEngine(settings.database, {
        collection: products,
        firstRows: settings.empty ? [] : referenceProducts,
        notice: (level, message) => log.write(level, message),
        ...settings,
      });
      app = createApp({
        collection: products,
        engine,
        maxBodyBytes: settings.maxBodyMb * 1024 * 1024,
        allowUnfilteredWrites: settings.allowUnfilteredWrites,
        pages: firstOf(observation.pages, openApiPages(DESCRIBED, CONSOLE_PATH), consolePages(DESCRIBED)),
        onAnswer: observation.onAnswer,
        requestId,
        plans: settings.plans,
        serverTiming: settings.serverTiming,
      });
      await engine.opened;
      observation.health.phase = 'serving';
      listening ??= startListening(settings, app);
      if (settings.backupSeconds > 0) {
        backups = new ScheduledBackups(maintenanceOf(settings.database, products, settings), settings, log);
      }
      await greet(listening.url, admin?.url, settings, engine);
      await askedToStop;
      drainSeconds = DRAIN_SECONDS;
    } finally {
      observation.health.phase = 'draining';
      await listening?.stop(drainSeconds);
      await backups?.stop();
      await admin?.stop(0);
      await engine?.close();
      observation.settle();
      log.flush();
    }
  },
};

function openLog({ logLevel, logFormat }: ServeSettings): Log {
  return new Log(logLevel, {
    write: (text) => process.stderr.write(text),
    isPretty: logFormat === 'pretty' || (logFormat === 'auto' && process.stderr.isTTY === true),
  });
}

function startListening({ host, port, handover }: ServeSettings, app: App): Listening {
  return listenOrSay(app, { host, port, handover }, '--port');
}

/** What those who run the service look at, on a port that need not be open to others. */
function startAdmin({ host, adminPort }: ServeSettings, { adminPages }: Observation): Listening | undefined {
  if (adminPort === undefined) return undefined;
  const app: App = {
    fetch: (request) => adminPages(new URL(request.url).pathname, request) ?? new Response(null, { status: 404 }),
  };
  return listenOrSay(app, { host, port: adminPort }, '--admin-port');
}

function listenOrSay(app: App, options: ListenOptions, flag: string): Listening {
  try {
    return listen(app, options);
  } catch (error) {
    const { host, port } = options;
    const inUse = (error as { code?: string }).code === 'EADDRINUSE';
    throw new ConfigError(
      inUse
        ? `port ${port} is in use on ${host}; choose another with ${flag}`
        : `cannot listen on ${host}:${port}: ${(error as Error).message}`,
    );
  }
}

const COUNT = planRead(products, EMPTY_QUERY, { offset: 0, limit: 0 }, 'exact');

async function greet(url: string, admin: string | undefined, settings: ServeSettings, engine: Engine): Promise<void> {
  console.log(`Product Catalogue listens on ${url}
Database  ${engine.location}
Products  ${await countProducts(engine)}
Console   ${url}${CONSOLE_PATH}${admin === undefined ? '' : `\nAdmin     ${admin}`}
Try       curl '${url}/${products.name}?limit=3'`);
  if (!isLoopback(settings.host)) {
    console.error(
      `WARNING: ${settings.host} can be reached by others, and no credentials are asked for: anyone may read and change the catalogue.`,
    );
  }
}

/** A database that is down is no reason not to start: it is looked for, and requests are told meanwhile. */
async function countProducts(engine: Engine): Promise<string> {
  try {
    const { total } = await engine.read(COUNT, { format: 'json', stripNulls: false, columns: [] });
    return String(total);
  } catch (error) {
    if (error instanceof Refusal) return `not known yet: ${error.details ?? error.message}`;
    throw error;
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
