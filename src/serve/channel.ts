/** Request and response between two processes, over their message channel. */

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
