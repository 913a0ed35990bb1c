/** One client of a feed: the stream of its response, with a bound on unsent bytes. */
import { MAX_UNSENT_BYTES } from '../base/limits/feed.ts';

const encoder = new TextEncoder();

export class Subscriber {
  readonly body: ReadableStream<Uint8Array>;
  isClosed = false;
  private queue: Uint8Array[] = [];
  private unsent = 0;
  /** Set while the connection waits for bytes, and while a writer waits for the connection. */
  private wake = () => {};
  private drained = () => {};
  private isEnding = false;
  private isCut = false;

  constructor(private readonly onClose: (subscriber: Subscriber) => void) {
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => this.pull(controller);
    this.body = new ReadableStream({ pull, cancel: () => this.close() }, { highWaterMark: 0 });
  }

  /** Resolves when the client has room for more; false if it is gone. */
  async write(text: string): Promise<boolean> {
    this.push(encoder.encode(text));
    while (!this.isClosed && this.unsent > MAX_UNSENT_BYTES) {
      await new Promise<void>((resolve) => {
        this.drained = resolve;
      });
    }
    return !this.isClosed;
  }

  /** Disconnects a client that did not read the chunks before. */
  publish(chunk: Uint8Array): void {
    if (this.unsent > MAX_UNSENT_BYTES) this.cut();
    else this.push(chunk);
  }

  /** Ends the response after the unsent bytes. */
  end(text = ''): void {
    this.push(encoder.encode(text));
    this.isEnding = true;
    this.wake();
    this.close();
  }

  /** Ends the connection at once. The client resumes after the last event that it received. */
  cut(): void {
    this.queue = [];
    this.isCut = true;
    this.wake();
    this.close();
  }

  private push(chunk: Uint8Array): void {
    if (this.isClosed || chunk.length === 0) return;
    this.queue.push(chunk);
    this.unsent += chunk.length;
    this.wake();
  }

  private async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.queue.length === 0 && !this.isEnding && !this.isCut) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    // With a reason, Bun would print it.
    if (this.isCut) controller.error();
    for (const chunk of this.queue) controller.enqueue(chunk);
    this.queue = [];
    this.unsent = 0;
    this.drained();
    if (this.isEnding && !this.isCut) controller.close();
  }

  private close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.drained();
    this.onClose(this);
  }
}
