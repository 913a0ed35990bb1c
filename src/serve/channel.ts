/** Request and response between two processes, over their message channel. */
import type { Family } from '../observe/exposition.ts';
import type { ServiceStatus } from '../observe/health.ts';

export type Message =
  | { readonly kind: 'question'; readonly id: number; readonly question: string; readonly about?: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown };

/** The handlers of this side. */
export type Answers = Readonly<Record<string, (about: never) => unknown>>;

export class Channel {
  private readonly waiting = new Map<number, (answer: unknown) => void>();
  private lastId = 0;

  constructor(
    private readonly send: (message: Message) => void,
    private readonly answers: Answers,
  ) {}

  /** Asks the other process. Resolves to undefined if it does not answer in time. */
  ask(question: string, withinMs: number, about?: unknown): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve) => {
      const settle = (answer: unknown) => {
        clearTimeout(timer);
        this.waiting.delete(id);
        resolve(answer);
      };
      const timer = setTimeout(() => settle(undefined), withinMs);
      this.waiting.set(id, settle);
      this.send({ kind: 'question', id, question, about });
    });
  }

  /** Sends a message that needs no answer. */
  tell(question: string, about?: unknown): void {
    this.send({ kind: 'question', id: 0, question, about });
  }

  /** The other process has ended. */
  close(): void {
    for (const settle of this.waiting.values()) settle(undefined);
  }

  async receive(message: Message): Promise<void> {
    if (message.kind === 'answer') return this.waiting.get(message.id)?.(message.answer);
    const answer = await this.answers[message.question]?.(message.about as never);
    if (message.id !== 0) this.send({ kind: 'answer', id: message.id, answer });
  }
}

/** The report of the other process. If it does not answer in time, it is overloaded or has ended. */
export class WorkerReport implements ServiceStatus {
  /** The latest report. */
  private known: readonly Family[] = [];

  constructor(
    private readonly channel: Channel,
    private readonly withinMs: number,
  ) {}

  async notReady(): Promise<string | undefined> {
    const answer = await this.channel.ask('notReady', this.withinMs);
    return answer === undefined ? 'a process of the service does not answer' : (answer as Readiness).reason;
  }

  async families(): Promise<readonly Family[]> {
    this.known = ((await this.channel.ask('families', this.withinMs)) as readonly Family[] | undefined) ?? this.known;
    return this.known;
  }

  lastFamilies(): readonly Family[] {
    return this.known;
  }
}

interface Readiness {
  readonly reason: string | undefined;
}

/** The report of this process. */
export function statusAnswers(account: () => ServiceStatus | undefined): Answers {
  return {
    notReady: async (): Promise<Readiness> => ({ reason: await account()?.notReady() }),
    families: () => account()?.families(),
  };
}
