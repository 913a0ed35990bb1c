/**
 * A lost connection. A write without an answer waits and is sent again by itself, with the same `Idempotency-Key`, so
 * that it is stored once.
 */
import { Store } from '../../base/store.ts';

const PAUSE_MS = 3_000;

/** Whether writes wait for the service. */
export const isLost = new Store(false);
let wait: PromiseWithResolvers<boolean> | undefined;

/** Resolves to whether to send the write again: after a pause, or as soon as the service or the network is back. */
function untilRepeated(): Promise<boolean> {
  isLost.set(true);
  if (wait === undefined) {
    wait = Promise.withResolvers();
    setTimeout(wait.resolve, PAUSE_MS, true);
    void wait.promise.then(() => {
      wait = undefined;
    });
  }
  return wait.promise;
}

/** Sends all waiting writes now. */
export const sendAgain = (): void => wait?.resolve(true);

/** The waiting writes fail. */
export function giveUp(): void {
  isLost.set(false);
  wait?.resolve(false);
}

globalThis.addEventListener?.('online', sendAgain);

/** A proxy answers for a service that it does not reach. */
const isAnswer = ({ status, headers }: Response): boolean =>
  status < 502 || status > 504 || /json/.test(headers.get('content-type') ?? '');

/** Sends a request. A write that may be repeated is sent until an answer comes, or the person gives up. */
export async function untilAnswered(attempt: () => Promise<Response>, mayRepeat: boolean): Promise<Response> {
  for (;;) {
    const result = await attempt().catch((error: unknown) => error);
    if (result instanceof Response && isAnswer(result)) {
      if (isLost.get()) isLost.set(false);
      sendAgain();
      return result;
    }
    // fetch throws a TypeError if no answer came, and another error if the request was aborted.
    const mayCome = result instanceof Response || result instanceof TypeError;
    if (mayRepeat && mayCome && (await untilRepeated())) continue;
    if (result instanceof Response) return result;
    throw result;
  }
}
