/** A worker process: started by `catalogue serve --workers`, from which it receives its settings. */

import type { Observation } from '../observe/observation.ts';
import type { Certificate } from '../serve/certificate.ts';
import { Channel, type Message } from '../serve/channel.ts';
import { serveHere } from '../serve/instance.ts';
import { openLog } from '../serve/log.ts';
import type { Listening } from '../serve/server.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import type { Task } from '../serve/worker-process.ts';
import { accountAnswers, WorkerReport } from '../serve/worker-report.ts';
import { ConfigError } from '../settings/by-command.ts';
import type { Command } from './shared/command.ts';

/** Time limit for answers of the other processes. */
const PATIENCE_MS = 4_000;

export const command: Command = {
  help: () => 'Started by catalogue serve --workers, and by nobody else.',

  async run() {
    if (process.send === undefined) throw new ConfigError('a worker is started by catalogue serve --workers');
    let observation: Observation | undefined;
    const stopped = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<Task>();
    const listens = Promise.withResolvers<Listening>();
    let retire: (() => Promise<void>) | undefined;
    const channel = new Channel((message) => process.send?.(message), {
      serve: begun.resolve,
      stop: stopped.resolve,
      renew: async (certificate: Certificate) => {
        const listening = await listens.promise;
        try {
          retire = listening.renew(certificate);
          return true;
        } catch {
          return false;
        }
      },
      retire: () => retire?.(),
      ...accountAnswers(() => observation?.account),
    });
    process.on('message', (message: Message) => channel.receive(message));
    // The supervisor is gone.
    process.on('disconnect', stopped.resolve);
    const { worker, settings, certificate, ratesFile } = await begun.promise;
    // The supervisor reloads the certificate and sends it.
    if (certificate !== undefined) process.on('SIGHUP', () => undefined);
    await serveHere(settings, {
      log: openLog(settings, worker),
      askedToStop: Promise.race([stopSignal(), stopped.promise]),
      certificate,
      ratesFile,
      listens: listens.resolve,
      whole: new WorkerReport(channel, PATIENCE_MS),
      observed: (each) => {
        observation = each;
      },
      started: (greeting) => channel.tell('started', greeting),
    });
  },
};
