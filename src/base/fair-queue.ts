/**
 * Limits concurrent work, fair between callers. Waiting callers take turns, however much work each of them has, and one
 * caller never holds all places.
 */
import type { ApiError } from './errors.ts';

interface FairQueueOptions {
  /** The number of works at once, in total and of one caller. */
  readonly places: number;
  readonly placesPerCaller: number;
  /** The cost of the works at once. A work that costs more than this runs when no other does. */
  readonly budget?: number;
  /** A work up to this cost overtakes others that wait for the budget. */
  readonly smallCost?: number;
  /** The works of one caller that wait, by number and cost. */
  readonly maxWaiting?: number;
  readonly maxWaitingCost?: number;
  /** The error for a caller beyond its limits. */
  readonly tooMany?: () => ApiError;
}

interface Waiting {
  readonly cost: number;
  readonly start: () => void;
}

const UNLIMITED = Number.POSITIVE_INFINITY;

export class FairQueue {
  /** Callers in the order of their turns, with the works of each. */
  private readonly waiting = new Map<string, Waiting[]>();
  /** The places that callers hold. */
  private readonly held = new Map<string, number>();
  private running = 0;
  private spent = 0;

  constructor(private readonly options: FairQueueOptions) {}

  /** A further part of earlier work is the next one of its caller. */
  async run<T>(caller: string, cost: number, work: () => Promise<T>, isFurtherPart = false): Promise<T> {
    await this.enter(caller, cost, isFurtherPart);
    try {
      return await work();
    } finally {
      this.occupy(caller, -1, -cost);
      this.give();
    }
  }

  private enter(caller: string, cost: number, isFurtherPart: boolean): Promise<void> {
    const { maxWaiting = UNLIMITED, maxWaitingCost = UNLIMITED, tooMany } = this.options;
    const own = this.waiting.get(caller) ?? [];
    const waitingCost = own.reduce((sum, each) => sum + each.cost, 0);
    const isOver = own.length >= maxWaiting || (own.length > 0 && waitingCost + cost > maxWaitingCost);
    if (isOver && tooMany !== undefined) throw tooMany();
    return new Promise((start) => {
      if (isFurtherPart) own.unshift({ cost, start });
      else own.push({ cost, start });
      this.waiting.set(caller, own);
      this.give();
    });
  }

  /** Starts the works that may run now. */
  private give(): void {
    const { places, placesPerCaller, budget = UNLIMITED, smallCost = 0 } = this.options;
    let isBudgetAwaited = false;
    // A caller with more works moves to the end, where this loop meets it again.
    for (const [caller, works] of this.waiting) {
      if (this.running >= places) return;
      if ((this.held.get(caller) ?? 0) >= placesPerCaller) continue;
      const { cost, start } = works[0]!;
      const isAffordable = this.running === 0 || this.spent + cost <= budget;
      if (!isAffordable || (isBudgetAwaited && cost > smallCost)) {
        isBudgetAwaited = true;
        continue;
      }
      works.shift();
      this.waiting.delete(caller);
      if (works.length > 0) this.waiting.set(caller, works);
      this.occupy(caller, 1, cost);
      start();
    }
  }

  private occupy(caller: string, places: number, cost: number): void {
    this.running += places;
    this.spent += cost;
    const held = (this.held.get(caller) ?? 0) + places;
    if (held === 0) this.held.delete(caller);
    else this.held.set(caller, held);
  }
}
