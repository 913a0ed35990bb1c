/** `catalogue serve`: one serving process, or workers and their supervisor. */

import { checkBackedUp } from '../engine/open.ts';
import { openLog } from '../observe/log.ts';
import { type Certificate, readCertificate, renewOnHangup, warnIfExpired } from '../serve/certificate.ts';
import { serveHere } from '../serve/instance.ts';
import { checkHost, startAdmin } from '../serve/ports.ts';
import type { RunningServer } from '../serve/server.ts';
import { printStartMessage, type StartMessage } from '../serve/start-message.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import { ConfigError, SERVE_SETTINGS } from '../settings/by-command.ts';
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
    const backups =
      settings.backupSeconds === 0
        ? undefined
        : new (await import('../serve/backups/scheduled-backups.ts')).ScheduledBackups(
            () => openMaintenance(settings),
            settings,
            log,
          );
    let admin: RunningServer | undefined;
    const started = (greeting: StartMessage) => {
      backups?.start();
      printStartMessage(greeting, settings, admin?.url);
    };
    const renewBy = (renew: (certificate: Certificate) => Promise<void>) => renewOnHangup(settings, log, renew);
    try {
      if (settings.workers === 1 && !settings.editDeclaration) {
        await serveHere(settings, {
          log,
          askedToStop,
          certificate,
          ...(backups === undefined ? {} : { metrics: backups.metrics, backUp: backups.backUp }),
          onListening: (listening) => renewBy((renewed) => listening.renew(renewed)()),
          onObservation: ({ adminPages }) => {
            admin = startAdmin(settings, adminPages);
          },
          onStarted: started,
        });
        return 0;
      }
      const { Workers } = await import('../serve/workers.ts');
      const workers = new Workers(settings, log, certificate, backups);
      admin = startAdmin(settings, workers.pages);
      const greeting = await workers.start(askedToStop);
      if (greeting !== undefined) {
        renewBy((renewed) => workers.renew(renewed));
        started(greeting);
        await askedToStop;
      }
      // The exit code of a worker that could not start or stop.
      return await workers.stop();
    } finally {
      await backups?.stop();
      await admin?.stop(0);
    }
  },
});
