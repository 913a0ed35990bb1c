/** One process that serves: it opens the database, listens, and stops cleanly when asked to. */
import { type App, createApp } from '../app.ts';
import type { ServeSettings } from '../config.ts';
import { consolePages, startPath } from '../console/pages.ts';
import type { Engine } from '../engine/engine.ts';
import { openEngine } from '../engine/open.ts';
import { firstOf } from '../http/pages.ts';
import { DRAIN_SECONDS } from '../limits.ts';
import type { Account } from '../observe/health.ts';
import type { Log } from '../observe/log.ts';
import { Observation } from '../observe/observation.ts';
import { requestId } from '../observe/request-id.ts';
import { describe } from '../openapi/described.ts';
import { openApiPages } from '../openapi/pages.ts';
import { begin } from '../plan/begin.ts';
import { NO_ROWS } from '../plan/first-rows.ts';
import { countRows, type Greeting } from './greeting.ts';
import { watchMemory } from './idle-memory.ts';
import { startListening } from './listening.ts';
import type { Listening } from './server.ts';

export interface Surroundings {
  readonly log: Log;
  readonly askedToStop: Promise<void>;
  /** Who tells of the service as a whole, where this process is one of several. */
  readonly whole?: Account;
  /** Told before anything is opened, so that the health of the service can be asked for from the start. */
  readonly observed?: (observation: Observation) => void;
  readonly started: (greeting: Greeting) => void | Promise<void>;
}

/** Resolves when it has stopped. */
export async function serveHere(settings: ServeSettings, surroundings: Surroundings): Promise<void> {
  const { log, askedToStop, whole, observed, started } = surroundings;
  const maxValueBytes = settings.maxValueKb * 1024;
  const begun = await begin(settings.collections, { withRows: !settings.empty, maxValueBytes });
  const { catalogue } = begun;
  const described = describe(begun);
  let app: App | undefined;
  let engine: Engine | undefined;
  let listening: Listening | undefined;
  let drainSeconds = 0;
  let endWatching = () => {};
  const observation = new Observation(catalogue, settings, log, {
    engine: () => engine,
    inProgress: () => listening?.inProgress() ?? 0,
    app: () => app?.metrics?.() ?? [],
    whole,
  });
  observed?.(observation);
  // Whoever shares a port opens the database first, since others on it answer already.
  const notice = (message: string) => log.write('warn', message);
  const isAlone = !settings.handover && settings.workers === 1;
  try {
    // The port first, so that one in use leaves no database behind. What follows runs in the same turn of the event
    // loop: no request is read before the app is there.
    const fetch: App['fetch'] = (request, atWork) => app!.fetch(request, atWork);
    if (isAlone) listening = startListening(settings, { fetch }, notice);
    engine = openEngine(settings.database, {
      catalogue,
      firstRows: settings.empty ? NO_ROWS : begun.firstRows,
      notice: (level, message) => log.write(level, message),
      ...settings,
    });
    app = createApp({
      catalogue,
      engine,
      maxBodyBytes: settings.maxBodyMb * 1024 * 1024,
      allowUnfilteredWrites: settings.allowUnfilteredWrites,
      basePath: settings.basePath,
      pages: firstOf(observation.pages, openApiPages(described, startPath), consolePages(described)),
      onAnswer: observation.onAnswer,
      onCut: observation.onCut,
      requestId,
      plans: settings.plans,
      serverTiming: settings.serverTiming,
    });
    await engine.opened;
    endWatching = watchMemory(() => listening?.inProgress() ?? 0);
    observation.health.phase = 'serving';
    listening ??= startListening(settings, app, notice);
    const rows = await countRows(engine, catalogue);
    const { location, steps = [] } = engine;
    const isNew = [...catalogue.collections.keys()].every((name) => steps.includes(`table ${name}`));
    await started({
      url: listening.url,
      location,
      made: isNew ? [] : steps,
      rows,
      example: [...catalogue.collections.keys()][0]!,
    });
    await askedToStop;
    drainSeconds = DRAIN_SECONDS;
  } finally {
    observation.health.phase = 'draining';
    endWatching();
    await listening?.stop(drainSeconds);
    await engine?.close();
    observation.settle();
    log.flush();
  }
}
