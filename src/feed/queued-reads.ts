/** Queues reads, so that one caller neither exceeds the limits of the engine nor delays the reads of others. */
import type { FairQueue } from '../base/fair-queue.ts';
import type { Engine } from '../engine/engine.ts';

export type Reader = Pick<Engine, 'read'>;

export function queuedReader(engine: Reader, queue: FairQueue, caller: string): Reader {
  return { read: (...request) => queue.run(caller, 1, async () => engine.read(...request)) };
}
