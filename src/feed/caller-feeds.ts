/** The feeds of one caller, with a limit of unsent bytes. */
import { MAX_UNSENT_BYTES_PER_CALLER } from '../base/limits/feed.ts';
import type { Chunk } from './feed-event.ts';

/** The number of feeds, and the bytes that wait for their connections. Clients of one list share their chunks. */
export class CallerFeeds {
  count = 0;
  unsent = 0;
  private readonly uses = new Map<Chunk, number>();

  /** Returns whether the bytes of the caller are within the limit. */
  add(chunk: Chunk): boolean {
    const uses = this.uses.get(chunk) ?? 0;
    this.uses.set(chunk, uses + 1);
    if (uses === 0) this.unsent += chunk.length;
    return this.unsent <= MAX_UNSENT_BYTES_PER_CALLER;
  }

  remove(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) {
      const uses = this.uses.get(chunk)! - 1;
      if (uses > 0) {
        this.uses.set(chunk, uses);
        continue;
      }
      this.uses.delete(chunk);
      this.unsent -= chunk.length;
    }
  }
}
