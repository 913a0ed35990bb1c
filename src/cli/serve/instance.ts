/** One process that serves: it opens the database, listens, and stops cleanly when asked to. */
import { type App, createApp } from '../../app.ts';
import { products } from '../../collection/products.ts';
import referenceProducts from '../../collection/reference-products.json' with { type: 'json' };
import type { ServeSettings } from '../../config.ts';
import { CONSOLE_PATH, consolePages } from '../../console/pages.ts';
import type { Engine } from '../../engine/engine.ts';
import { openEngine } from '../../engine/open.ts';
import { firstOf } from '../../http/pages.ts';
import type { Listening } from '../../http/server.ts';
import { DRAIN_SECONDS } from '../../limits.ts';
import type { Account } from '../../observe/health.ts';
import type { Log } from '../../observe/log.ts';
import { Observation } from '../../observe/observation.ts';
import { requestId } from '../../observe/request-id.ts';
import { openApiPages } from '../../openapi/pages.ts';
import { DESCRIBED } from '../openapi.ts';
import { countProducts, type Greeting } from './greeting.ts';
import { startListening } from './listening.ts';

export interface Surroundings {
  readonly log: Log;
  readonly askedToStop: Promise<void>;
  /** Who tells of the service as a whole, where this process is one of several. */
  readonly whole?: Account;
  /** Told before anything is opened, so that the health of the service can be asked for from the start. */
  readonly observed?: (observation: Observation) => void;
  readonly started: (greeting: Greeting) => void;
}

/** Resolves when it has stopped. */
export async function serveHere(settings: ServeSettings, surroundings: Surroundings): Promise<void> {
  const { log, askedToStop, whole, observed, started } = surroundings;
  let app: App | undefined;
  let engine: Engine | undefined;
  let listening: Listening | undefined;
  let drainSeconds = 0;
  const observation = new Observation(products, settings, log, {
    engine: () => engine,
    inProgress: () => listening?.inProgress() ?? 0,
    app: () => app?.readings?.() ?? [],
    whole,
  });
  observed?.(observation);
  // Whoever shares a port opens the database first, since others on it answer already.
  const isAlone = !settings.handover && settings.workers === 1;
  try {
    // The port first, so that one in use leaves no database behind. What follows runs in the same turn of the event
    // loop: no request is read before the app is there.
    if (isAlone) listening = startListening(settings, { fetch: (request, atWork) => app!.fetch(request, atWork) });
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
      repeatsOf: observation.repeatsOf,
      requestId,
      plans: settings.plans,
      serverTiming: settings.serverTiming,
    });
    await engine.opened;
    observation.health.phase = 'serving';
    listening ??= startListening(settings, app);
    started({ url: listening.url, location: engine.location, products: await countProducts(engine) });
    await askedToStop;
    drainSeconds = DRAIN_SECONDS;
  } finally {
    observation.health.phase = 'draining';
    await listening?.stop(drainSeconds);
    await engine?.close();
    observation.settle();
    log.flush();
  }
}
