/** A thread that starts on demand, restarts after a crash, and answers requests in their order. */
import { getPriority, setPriority } from 'node:os';
import { ApiError, type ApiErrorData, type ApiErrorDetails } from '../../base/errors.ts';
import { requireDescriptors } from '../../base/files/descriptors.ts';
import type { WriteResult } from '../engine.ts';

export interface ThreadOptions<Request> {
  readonly file: URL;
  readonly opening: Request;
  /** The error for pending requests if the thread ends. */
  readonly words: Pick<ApiErrorDetails, 'details' | 'hint'>;
}

export class Thread<Request, Answer> {
  private worker: Worker | undefined;
  private readonly waiting: PromiseWithResolvers<Answer>[] = [];

  constructor(private readonly options: ThreadOptions<Request>) {}

  /** The number of requests that wait for their answers. */
  get pending(): number {
    return this.waiting.length;
  }

  /** Starts the thread now, so that the first request does not wait. */
  begin(): Worker {
    this.worker ??= this.start();
    return this.worker;
  }

  async ask(request: Request): Promise<Answer> {
    const worker = this.begin();
    const answer = Promise.withResolvers<Answer>();
    this.waiting.push(answer);
    worker.postMessage(request);
    return answer.promise;
  }

  tell(request: Request): void {
    this.worker?.postMessage(request);
  }

  /** Ends the thread after this request. */
  async close(last: Request): Promise<void> {
    if (this.worker === undefined) return;
    // A thread that dies has closed its connections.
    await this.ask(last).catch(() => undefined);
    const { worker } = this;
    this.worker = undefined;
    worker?.terminate();
  }

  private start(): Worker {
    requireDescriptors();
    const { file, opening, words } = this.options;
    const worker = new Worker(file.href);
    let reason = 'it ended';
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.waiting.shift()?.resolve(data);
    worker.onerror = (event) => {
      reason = event.message;
    };
    worker.addEventListener('close', () => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      const error = threadEnded({ ...words, cause: reason });
      for (const { reject } of this.waiting.splice(0)) reject(error);
    });
    worker.postMessage(opening);
    return worker;
  }
}

export function threadEnded(more?: ApiErrorDetails): ApiError {
  const headers = { 'retry-after': '1' };
  return new ApiError('CAT503', 'a thread of the database ended', { hint: 'Try again in a moment.', headers, ...more });
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

/** Less CPU time for this thread if others need it. Elsewhere than on Linux, it would be that of the process. */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(19, getPriority(0) + 5));
  } catch {
    // A sandbox may forbid it.
  }
}
