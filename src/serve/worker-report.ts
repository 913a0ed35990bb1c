/** Health and metrics that one process reports to another, about itself or about all processes. */
import type { Family } from '../observe/exposition.ts';
import type { ServiceStatus } from '../observe/health.ts';
import type { Answers, Channel } from './channel.ts';

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
