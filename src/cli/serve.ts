/** `catalogue serve`: one serving process, or workers and their supervisor. */

import { checkBackedUp } from '../engine/open.ts';
import { type Log, openLog } from '../observe/log.ts';
import { ScheduledBackups } from '../serve/backups/scheduled-backups.ts';
import { type Certificate, readCertificate, renewOnHangup, warnIfExpired } from '../serve/certificate.ts';
import { serveHere, stopSignal } from '../serve/instance.ts';
import { checkHost, startAdmin } from '../serve/ports.ts';
import type { RunningServer } from '../serve/server.ts';
import { printStartMessage } from '../serve/start-message.ts';
import { Workers } from '../serve/workers.ts';
import { ConfigError, SERVE_SETTINGS, type ServeSettings } from '../settings/by-command.ts';
import { defineCommand } from './shared/command.ts';
import { openMaintenance } from './shared/database.ts';

export const command = defineCommand({
  options: SERVE_SETTINGS,
  usage: `Usage: catalogue serve [flags]

Serves the catalogue over HTTP. A new database is created with the built-in products.`,
  async run({ values: settings }) {
    // Listen for signals first: a stop may follow the greeting at once.
    const askedToStop = stopSignal();
    if (settings.backupSeconds > 0) checkBackedUp(settings.database);
    if (settings.mcp && settings.workers > 1) {
      throw new ConfigError('--mcp needs one process, which remembers previewed writes. Leave out --workers');
    }
    await checkHost(settings);
    const certificate = readCertificate(settings);
    const log = openLog(settings);
    if (certificate !== undefined) warnIfExpired(certificate, log);
    const start = settings.workers === 1 && !settings.editDeclaration ? alone : together;
    return start(settings, log, askedToStop, certificate);
  },
});

async function alone(
  settings: ServeSettings,
  log: Log,
  askedToStop: Promise<void>,
  certificate: Certificate | undefined,
): Promise<void> {
  let admin: RunningServer | undefined;
  const backups = scheduledBackups(settings, log);
  try {
    await serveHere(settings, {
      log,
      askedToStop,
      certificate,
      ...(backups === undefined ? {} : { metrics: backups.metrics, backUp: backups.backUp }),
      onListening: (listening) => renewOnHangup(settings, log, (renewed) => listening.renew(renewed)()),
      onObservation: (observation) => {
        admin = startAdmin(settings, observation.adminPages);
      },
      onStarted: async (greeting) => {
        backups?.start();
        printStartMessage(greeting, settings, admin?.url);
      },
    });
  } finally {
    await backups?.stop();
    await admin?.stop(0);
    log.flush();
  }
}

/** Resolves to the exit code of a worker that could not start or stop. */
async function together(
  settings: ServeSettings,
  log: Log,
  askedToStop: Promise<void>,
  certificate: Certificate | undefined,
): Promise<number> {
  const backups = scheduledBackups(settings, log);
  const workers = new Workers(settings, log, certificate, backups);
  let admin: RunningServer | undefined;
  try {
    admin = startAdmin(settings, workers.pages);
    const greeting = await workers.start(askedToStop);
    if (greeting !== undefined) {
      backups?.start();
      renewOnHangup(settings, log, (renewed) => workers.renew(renewed));
      printStartMessage(greeting, settings, admin?.url);
      await askedToStop;
    }
    return await workers.stop();
  } finally {
    await backups?.stop();
    await admin?.stop(0);
    log.flush();
  }
}

function scheduledBackups(settings: ServeSettings, log: Log): ScheduledBackups | undefined {
  if (settings.backupSeconds === 0) return undefined;
  return new ScheduledBackups(() => openMaintenance(settings), settings, log);
}
