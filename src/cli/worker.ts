/** A worker process: started by `catalogue serve --workers`, from which it receives its settings. */

import { say, type Wording } from '../base/sentence.ts';
import { openLog } from '../observe/log.ts';
import type { Observation } from '../observe/observation.ts';
import type { Certificate } from '../serve/certificate.ts';
import { Channel, type Message, statusAnswers, WorkerReport } from '../serve/channel.ts';
import type { EditOutcome } from '../serve/declaration-edits.ts';
import { serveHere } from '../serve/instance.ts';
import type { RunningServer } from '../serve/server.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import type { WorkerTask } from '../serve/worker-process.ts';
import { ConfigError } from '../settings/by-command.ts';
import type { Command } from './shared/command.ts';

/** Time limit for answers of the other processes. */
const ANSWER_TIMEOUT_MS = 4_000;
/** Time limit for a backup, and for a change of the declaration, which may migrate large tables. */
const LONG_TIMEOUT_MS = 30 * 60_000;

export const command: Command = {
  help: () => 'Internal: catalogue serve --workers starts it.',

  async run() {
    if (process.send === undefined)
      throw new ConfigError('worker is an internal command. Use catalogue serve --workers');
    let observation: Observation | undefined;
    const stopped = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<WorkerTask>();
    const listens = Promise.withResolvers<RunningServer>();
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
      ...statusAnswers(() => observation?.status),
    });
    process.on('message', (message: Message) => channel.receive(message));
    // The supervisor has ended.
    process.on('disconnect', stopped.resolve);
    const task = process.connected ? await Promise.race([begun.promise, stopped.promise]) : undefined;
    // The supervisor has ended before it sent anything.
    if (task === undefined) return;
    const { worker, settings, certificate, ratesFile, allowed } = task;
    // The supervisor reloads the certificate and sends it.
    if (certificate !== undefined) process.on('SIGHUP', () => undefined);
    await serveHere(settings, {
      log: openLog(settings, worker),
      askedToStop: Promise.race([stopSignal(), stopped.promise]),
      isAbandoned: () => !process.connected,
      certificate,
      ratesFile,
      allowed,
      onListening: listens.resolve,
      applyEdit: async (edit) =>
        ((await channel.ask('edit', LONG_TIMEOUT_MS, edit)) as EditOutcome | undefined) ?? say`it takes too long`,
      backUp: async () => {
        const answer = (await channel.ask('backUp', LONG_TIMEOUT_MS)) as { readonly failure?: Wording } | undefined;
        return answer === undefined ? say`it takes too long` : answer.failure;
      },
      whole: new WorkerReport(channel, ANSWER_TIMEOUT_MS),
      onObservation: (each) => {
        observation = each;
      },
      onStarted: (greeting) => channel.tell('started', greeting),
    });
  },
};
