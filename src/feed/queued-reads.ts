/** Queues the reads of clients that join, so that many of them at once do not exceed the limits of the engine. */
import type { Engine, ReadResult } from '../engine/engine.ts';

export type Reader = Pick<Engine, 'read'>;

const PARALLEL_READS = 8;

export class QueuedReads implements Reader {
  private readonly waiting: (() => void)[] = [];
  private active = 0;

  constructor(private readonly engine: Reader) {}

  readonly read: Reader['read'] = async (...request): Promise<ReadResult> => {
    if (this.active >= PARALLEL_READS) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.active++;
    try {
      return await this.engine.read(...request);
    } finally {
      // The next one takes over the place.
      const next = this.waiting.shift();
      if (next === undefined) this.active--;
      else next();
    }
  };
}
