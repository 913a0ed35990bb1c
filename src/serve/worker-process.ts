/** One of the processes that serve, as seen from the one that looks after them. */
import type { ServeSettings } from '../config.ts';
import type { Account } from '../observe/health.ts';
import { accountAnswers, ToldAccount } from './account.ts';
import type { Certificate } from './certificate.ts';
import { Channel, type Message } from './channel.ts';
import type { Greeting } from './greeting.ts';

const PATIENCE_MS = 2_000;

export interface Task {
  readonly worker: number;
  readonly settings: ServeSettings;
  readonly certificate: Certificate | undefined;
  /** Where all of them count requests together. */
  readonly ratesFile: string | undefined;
}

export interface End {
  readonly exitCode: number;
  readonly signal: string | undefined;
}

export class WorkerProcess {
  readonly started: Promise<Greeting>;
  readonly ended: Promise<End>;
  readonly account: ToldAccount;
  isServing = false;
  private readonly child: Bun.Subprocess;
  private readonly channel: Channel;

  /** `whole` tells of the service as a whole, for which any of the processes may be asked. */
  constructor(task: Task, whole: Account) {
    const started = Promise.withResolvers<Greeting>();
    this.started = started.promise;
    this.child = Bun.spawn([...thisProgram(), 'worker'], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message: Message) => this.channel.receive(message),
    });
    this.channel = new Channel((message) => this.send(message), {
      started: (greeting: Greeting) => {
        this.isServing = true;
        started.resolve(greeting);
      },
      ...accountAnswers(() => whole),
    });
    this.account = new ToldAccount(this.channel, PATIENCE_MS);
    this.ended = this.child.exited.then((exitCode) => {
      this.isServing = false;
      this.channel.close();
      return { exitCode, signal: this.child.signalCode?.toString() };
    });
    this.channel.tell('serve', task);
  }

  /** Listens with another certificate, too; resolves to whether it could. */
  async renew(certificate: Certificate): Promise<boolean> {
    return (await this.channel.ask('renew', PATIENCE_MS, certificate)) === true;
  }

  /** Puts the certificate of before away. */
  async retire(): Promise<void> {
    await this.channel.ask('retire', PATIENCE_MS);
  }

  /** Resolves when it is gone, of its own accord or at last by force. */
  async stop(seconds: number): Promise<void> {
    this.channel.tell('stop');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), seconds * 1000);
    await this.ended;
    clearTimeout(timer);
  }

  private send(message: Message): void {
    try {
      this.child.send(message);
    } catch {
      // It is gone, which `ended` tells.
    }
  }
}

/** The executable that runs, or the sources and what runs them. */
function thisProgram(): string[] {
  const isExecutable = Bun.main.startsWith('/$bunfs/');
  return isExecutable ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main];
}
