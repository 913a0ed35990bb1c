/**
 * A thread that is started when there is something for it to do, and again after it has died: whoever waits for it then is
 * told so, and nobody waits for ever.
 */
import { requireDescriptors } from '../../descriptors.ts';
import { Refusal } from '../../errors.ts';

export interface ThreadOptions<Request, Answer> {
  readonly file: URL;
  /** What it is told first. */
  readonly opening: Request;
  readonly answered: (answer: Answer) => void;
  /** It has died, and with it all that was asked of it. */
  readonly lost: (refusal: Refusal) => void;
  /** What those who wait are told then. */
  readonly words: { readonly details: string; readonly hint: string };
}

export class Thread<Request, Answer> {
  private worker: Worker | undefined;

  constructor(private readonly options: ThreadOptions<Request, Answer>) {}

  get isRunning(): boolean {
    return this.worker !== undefined;
  }

  /** Now, so that the first who needs it does not wait. */
  begin(): Worker {
    this.worker ??= this.start();
    return this.worker;
  }

  post(request: Request): void {
    this.begin().postMessage(request);
  }

  /** Where it is running. */
  tell(request: Request): void {
    this.worker?.postMessage(request);
  }

  end(): void {
    const { worker } = this;
    this.worker = undefined;
    worker?.terminate();
  }

  private start(): Worker {
    requireDescriptors();
    const { file, opening, answered, lost, words } = this.options;
    const worker = new Worker(file.href);
    let reason = 'it ended';
    worker.onmessage = ({ data }: MessageEvent<Answer>) => answered(data);
    worker.onerror = (event) => {
      reason = event.message;
    };
    worker.addEventListener('close', () => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      lost(
        new Refusal('CAT503', 'a thread of the database ended', {
          ...words,
          headers: { 'retry-after': '1' },
          cause: reason,
        }),
      );
    });
    worker.postMessage(opening);
    return worker;
  }
}
