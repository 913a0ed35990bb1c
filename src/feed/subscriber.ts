/** One client of a feed: a queue of what it has to receive, with a bound on its length. */
import { MAX_UNSENT_BYTES } from '../base/limits/feed.ts';
import type { CallerFeeds } from './caller-feeds.ts';
import type { Chunk } from './feed-event.ts';

const encoder = new TextEncoder();

export class Subscriber {
  isClosed = false;
  isCut = false;
  private queue: Chunk[] = [];
  /** The chunks that the connection took last. It has sent them when it asks for more. */
  private taken: Chunk[] = [];
  private unsent = 0;
  /** Set while the connection waits for chunks, and while a writer waits for the connection. */
  private wake = () => {};
  private drained = () => {};

  constructor(
    private readonly isLive: boolean,
    private readonly caller: CallerFeeds,
    private readonly onClose: (subscriber: Subscriber) => void,
  ) {}

  /** The chunks that the client has not received. */
  private get held(): readonly Chunk[] {
    return [...this.taken, ...this.queue];
  }

  get heldBytes(): number {
    return this.held.reduce((sum, { length }) => sum + length, 0);
  }

  /** The event stream. With a reason, Bun would print the error of a stream. */
  body(): ReadableStream<Uint8Array> {
    let isCancelled = false;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const chunks = await this.take();
      if (isCancelled) return;
      for (const chunk of chunks) controller.enqueue(chunk as Uint8Array);
      if (this.isCut) controller.error();
      else if (this.isClosed && this.queue.length === 0) controller.close();
    };
    const cancel = () => {
      isCancelled = true;
      this.cancel();
    };
    return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
  }

  /** Waits for the next chunks. None if the feed has ended. */
  async take(): Promise<readonly Chunk[]> {
    if (!this.isClosed) this.caller.remove(this.taken);
    this.taken = [];
    while (this.queue.length === 0 && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.taken = this.queue;
    this.queue = [];
    this.unsent = 0;
    this.drained();
    return this.taken;
  }

  /** A text is a part of an event stream. Resolves when the client has room for more; false if it is gone. */
  async write(chunk: Chunk | string): Promise<boolean> {
    this.push(chunk);
    while (!this.isClosed && this.unsent > MAX_UNSENT_BYTES) {
      await new Promise<void>((resolve) => {
        this.drained = resolve;
      });
    }
    return !this.isClosed;
  }

  /** Disconnects a client that did not read the chunks before. */
  publish(chunk: Chunk): void {
    if (this.unsent > MAX_UNSENT_BYTES) this.cut();
    else this.push(chunk);
  }

  /** Ends the response after the unsent chunks, and a text in an event stream. */
  end(text = ''): void {
    this.push(text);
    this.cancel();
  }

  /** Ends the connection at once. The client resumes after the last event that it received. */
  cut(): void {
    this.isCut = true;
    this.cancel();
    this.queue = [];
    this.taken = [];
  }

  cancel(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.caller.remove(this.held);
    this.wake();
    this.drained();
    this.onClose(this);
  }

  private push(chunk: Chunk | string): void {
    const isText = typeof chunk === 'string';
    if (this.isClosed || chunk.length === 0 || (isText && this.isLive)) return;
    const queued = isText ? encoder.encode(chunk) : chunk;
    this.queue.push(queued);
    this.unsent += queued.length;
    this.wake();
    this.caller.add(this, queued);
  }
}
