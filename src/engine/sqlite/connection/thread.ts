/** A thread that starts on demand and restarts after a crash. Pending requests of a crashed thread are rejected. */
import { ApiError, type ApiErrorData } from '../../../base/errors.ts';
import { requireDescriptors } from '../../../base/files/descriptors.ts';
import type { WriteResult } from '../../engine.ts';

export interface ThreadOptions<Request, Answer> {
  readonly file: URL;
  /** The first message. */
  readonly opening: Request;
  readonly onAnswer: (answer: Answer) => void;
  /** Called when the thread has died. */
  readonly onExit: (error: ApiError) => void;
  /** The error for pending requests. */
  readonly words: { readonly details: string; readonly hint: string };
}

export class Thread<Request, Answer> {
  private worker: Worker | undefined;

  constructor(private readonly options: ThreadOptions<Request, Answer>) {}

  get isRunning(): boolean {
    return this.worker !== undefined;
  }

  /** Starts the thread now, so that the first request does not wait. */
  begin(): Worker {
    this.worker ??= this.start();
    return this.worker;
  }

  post(request: Request): void {
    this.begin().postMessage(request);
  }

  /** Sends a message if the thread runs. */
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
    const { file, opening, onAnswer, onExit, words } = this.options;
    const worker = new Worker(file.href);
    let reason = 'it ended';
    worker.onmessage = ({ data }: MessageEvent<Answer>) => onAnswer(data);
    worker.onerror = (event) => {
      reason = event.message;
    };
    worker.addEventListener('close', () => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      onExit(
        new ApiError('CAT503', 'a thread of the database ended', {
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

/** The result of a job in a transferable form. */
export type ThreadResult = { readonly kind: 'done'; readonly results: readonly WriteResult[] } | FailedResult;
export type FailedResult =
  | { readonly kind: 'rejected'; readonly error: ApiErrorData }
  | { readonly kind: 'fault'; readonly message: string; readonly code?: string };

export function toThreadResult(error: unknown): FailedResult {
  if (error instanceof ApiError) return { kind: 'rejected', error: error.toData() };
  if (!(error instanceof Error)) return { kind: 'fault', message: String(error) };
  const { code } = error as { code?: string };
  return { kind: 'fault', message: error.stack ?? error.message, ...(code === undefined ? {} : { code }) };
}

export function settle(outcome: ThreadResult): readonly WriteResult[] {
  if (outcome.kind === 'done') return outcome.results;
  throw failure(outcome);
}

export function failure(outcome: FailedResult): Error {
  if (outcome.kind === 'fault') return Object.assign(new Error(outcome.message), { code: outcome.code });
  const { code, message, ...details } = outcome.error;
  return new ApiError(code, message, details);
}
