/** What one process tells of itself, or of all, when another asks for it. */
import type { Family } from '../observe/exposition.ts';
import type { Account } from '../observe/health.ts';
import type { Answers, Channel } from './channel.ts';

/** The other side's. One that does not answer in time is too busy to be sent more, or gone. */
export class ToldAccount implements Account {
  /** As they were told last. */
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

/** This side's. */
export function accountAnswers(account: () => Account | undefined): Answers {
  return {
    notReady: async (): Promise<Readiness> => ({ reason: await account()?.notReady() }),
    families: () => account()?.families(),
  };
}
