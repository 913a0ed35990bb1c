/** The open feeds of a caller, and the bytes that wait for their connections. */
import { MAX_UNSENT_BYTES_PER_CALLER } from '../base/limits/feed.ts';
import type { Chunk } from './feed-event.ts';

interface OpenFeed {
  readonly heldBytes: number;
  cut(): void;
}

export class CallerFeeds {
  readonly open = new Set<OpenFeed>();
  readonly unsent = new UnsentBytes();

  constructor(
    private readonly unsentOfAll: UnsentBytes,
    /** Cuts feeds of any callers if all together have too many unsent bytes. */
    private readonly limitAll: () => void,
  ) {}

  /** Cuts the feed if the caller has too many unsent bytes. */
  add(feed: OpenFeed, chunk: Chunk): void {
    this.unsent.add(chunk);
    this.unsentOfAll.add(chunk);
    if (this.unsent.size > MAX_UNSENT_BYTES_PER_CALLER) feed.cut();
    this.limitAll();
  }

  remove(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) {
      this.unsent.remove(chunk);
      this.unsentOfAll.remove(chunk);
    }
  }
}

/** The size of chunks. One that several clients receive counts once, because they share its memory. */
export class UnsentBytes {
  size = 0;
  private readonly uses = new Map<Chunk, number>();

  add(chunk: Chunk): void {
    const uses = this.uses.get(chunk) ?? 0;
    this.uses.set(chunk, uses + 1);
    if (uses === 0) this.size += chunk.length;
  }

  remove(chunk: Chunk): void {
    const uses = this.uses.get(chunk)! - 1;
    if (uses > 0) {
      this.uses.set(chunk, uses);
      return;
    }
    this.uses.delete(chunk);
    this.size -= chunk.length;
  }
}
