/** What is noted of a request on its way through the stages: its plan and, where asked for, how long each stage took. */
import type { ReadPlan, WritePlan } from '../plan/types.ts';

export type Stage = 'parse' | 'plan' | 'engine' | 'response';

export class Trace {
  readonly started = performance.now();
  plan: ReadPlan | WritePlan | undefined = undefined;
  private stages = '';
  private last = this.started;

  constructor(
    private readonly timed: boolean,
    /** The request's name, if it has one. */
    readonly id: string | undefined,
  ) {}

  planned(plan: ReadPlan | WritePlan): void {
    this.plan = plan;
    this.done('plan');
  }

  /** The stage that ends here. */
  done(stage: Stage): void {
    if (!this.timed) return;
    const now = performance.now();
    this.stages += `${stage};dur=${(now - this.last).toFixed(3)}, `;
    this.last = now;
  }

  /** As Server-Timing has it (https://www.w3.org/TR/server-timing/). */
  header(): string {
    return `${this.stages}total;dur=${(performance.now() - this.started).toFixed(3)}`;
  }
}
