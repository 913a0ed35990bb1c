/** A worker process, as its supervisor sees it. */

import type { ServiceStatus } from '../observe/health.ts';
import type { ServeSettings } from '../settings/by-command.ts';
import type { Certificate } from './certificate.ts';
import { type Answers, Channel, type Message, statusAnswers, WorkerReport } from './channel.ts';
import type { StartMessage } from './start-message.ts';

const ANSWER_TIMEOUT_MS = 2_000;

export interface WorkerTask {
  readonly worker: number;
  readonly settings: ServeSettings;
  readonly certificate: Certificate | undefined;
  /** The file in which all workers count requests together. */
  readonly ratesFile: string | undefined;
  /** Permitted data loss of its migration. */
  readonly allowed: readonly string[];
}

interface End {
  readonly exitCode: number;
  readonly signal: string | undefined;
}

export class WorkerProcess {
  readonly started: Promise<StartMessage>;
  readonly ended: Promise<End>;
  readonly status: WorkerReport;
  isServing = false;
  wasServing = false;
  /** The number of edits of the declaration before its start. */
  generation = 0;
  /** Whether its end is expected, so that no other process replaces it. */
  isRetired = false;
  private readonly child: Bun.Subprocess;
  private readonly channel: Channel;

  /** `service` reports on the whole service; any worker may receive that request. */
  constructor(task: WorkerTask, service: ServiceStatus, answers: Answers) {
    const started = Promise.withResolvers<StartMessage>();
    this.started = started.promise;
    this.child = Bun.spawn([...thisProgram(), 'worker'], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message: Message) => this.channel.receive(message),
    });
    this.channel = new Channel((message) => this.send(message), {
      started: (greeting: StartMessage) => {
        this.isServing = true;
        this.wasServing = true;
        started.resolve(greeting);
      },
      ...statusAnswers(() => service),
      ...answers,
    });
    this.status = new WorkerReport(this.channel, ANSWER_TIMEOUT_MS);
    this.ended = this.child.exited.then((exitCode) => {
      this.isServing = false;
      this.channel.close();
      return { exitCode, signal: this.child.signalCode?.toString() };
    });
    this.channel.tell('serve', task);
  }

  /** Listens with a second certificate as well. Resolves to whether that succeeded. */
  async renew(certificate: Certificate): Promise<boolean> {
    return (await this.channel.ask('renew', ANSWER_TIMEOUT_MS, certificate)) === true;
  }

  /** Retires the previous certificate. */
  async retire(): Promise<void> {
    await this.channel.ask('retire', ANSWER_TIMEOUT_MS);
  }

  /** Resolves when the process has ended, by itself or by a kill after the time limit. */
  async stop(seconds: number): Promise<void> {
    this.isRetired = true;
    this.channel.tell('stop');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), seconds * 1000);
    await this.ended;
    clearTimeout(timer);
  }

  private send(message: Message): void {
    try {
      this.child.send(message);
    } catch {
      // The process has ended, which `ended` reports.
    }
  }
}

/** The executable, or the runtime with the sources. */
function thisProgram(): string[] {
  const isExecutable = Bun.main.startsWith('/$bunfs/');
  return isExecutable ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main];
}
