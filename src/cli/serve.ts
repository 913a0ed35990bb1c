/** `catalogue serve`: opens the database, listens, and stops cleanly when asked to. */
import { type App, createApp } from '../app.ts';
import { products } from '../collection/products.ts';
import referenceProducts from '../collection/reference-products.json' with { type: 'json' };
import { ConfigError, describeSettings, readSettings, SERVE_SETTINGS, type ServeSettings } from '../config.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Engine } from '../engine/engine.ts';
import { openEngine } from '../engine/open.ts';
import { type Listening, listen } from '../http/server.ts';
import { DRAIN_SECONDS } from '../limits.ts';
import { Log } from '../observe/log.ts';
import { logAnswers } from '../observe/requests.ts';
import { planRead } from '../plan/read.ts';
import type { Command } from './command.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'serve the catalogue over HTTP',
  help: () => `Usage: catalogue serve [flags]

Serves the catalogue over HTTP. A new database is created with the reference products in it.

${describeSettings(SERVE_SETTINGS)}`,

  async run(args, env) {
    const settings = readSettings(SERVE_SETTINGS, args, env);
    const log = new Log(settings.logLevel, {
      write: (text) => process.stderr.write(text),
      isTerminal: process.stderr.isTTY === true,
    });
    // The port first, so that one in use leaves no database behind. What follows runs in the same turn of the event
    // loop: no request is read before the app is there.
    let app: App;
    const listening = startListening(settings, { fetch: (request) => app.fetch(request) });
    let engine: Engine;
    try {
      engine = openEngine(settings.database, {
        collection: products,
        firstRows: settings.empty ? [] : referenceProducts,
        retryHours: settings.idempotencyHours,
        querySeconds: settings.querySeconds,
      });
    } catch (error) {
      await listening.stop(0);
      throw error;
    }
    app = createApp({
      collection: products,
      engine,
      maxBodyBytes: settings.maxBodyMb * 1024 * 1024,
      allowUnfilteredWrites: settings.allowUnfilteredWrites,
      onAnswer: logAnswers(log),
    });
    await greet(listening.url, settings, engine);
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
    });
    await listening.stop(DRAIN_SECONDS);
    await engine.close();
    log.flush();
  },
};

function startListening(settings: ServeSettings, app: App): Listening {
  try {
    return listen(app, settings.host, settings.port);
  } catch (error) {
    const inUse = (error as { code?: string }).code === 'EADDRINUSE';
    const address = `${settings.host}:${settings.port}`;
    throw new ConfigError(
      inUse
        ? `port ${settings.port} is in use on ${settings.host}; choose another with --port`
        : `cannot listen on ${address}: ${(error as Error).message}`,
    );
  }
}

const COUNT = planRead(products, EMPTY_QUERY, { offset: 0, limit: 0 }, 'exact');

async function greet(url: string, settings: ServeSettings, engine: Engine): Promise<void> {
  const { total } = await engine.read(COUNT, { format: 'json', stripNulls: false, columns: [] });
  console.log(`Product Catalogue listens on ${url}
Database  ${engine.location}
Products  ${total}
Try       curl '${url}/${products.name}?limit=3'`);
  if (!isLoopback(settings.host)) {
    console.error(
      `WARNING: ${settings.host} can be reached by others, and no credentials are asked for: anyone may read and change the catalogue.`,
    );
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
