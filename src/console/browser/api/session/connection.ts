/**
 * A lost connection. A write without an answer waits and is sent again by itself, with the same `Idempotency-Key`, so
 * that it is stored once.
 */
import { Store } from '../../base/store.ts';

const PAUSE_MS = 3_000;

/** Whether writes wait for the service. */
export const isLost = new Store(false);
let wait: PromiseWithResolvers<void> | undefined;
/** How often the person gave up. */
let timesGivenUp = 0;

/** Resolves after a pause, or as soon as the service or the network is back. */
function untilRepeated(): Promise<void> {
  isLost.set(true);
  if (wait === undefined) {
    wait = Promise.withResolvers();
    setTimeout(wait.resolve, PAUSE_MS);
    void wait.promise.then(() => {
      wait = undefined;
    });
  }
  return wait.promise;
}

/** Sends all waiting writes now. */
export const sendAgain = (): void => wait?.resolve();

/** The waiting writes fail, also those that are being sent again and get no answer. */
export function giveUp(): void {
  timesGivenUp++;
  isLost.set(false);
  sendAgain();
}

/** Returns a check for a write of now: it throws if the person gave up since, as a request without an answer does. */
export function unlessGivenUp(): () => void {
  const before = timesGivenUp;
  return () => {
    if (timesGivenUp !== before) throw new TypeError('not sent');
  };
}

globalThis.addEventListener?.('online', sendAgain);
globalThis.addEventListener?.('beforeunload', (event) => {
  if (isLost.get()) event.preventDefault();
});

/** A proxy answers for a service that it does not reach. */
const isAnswer = ({ status, headers }: Response): boolean =>
  status < 502 || status > 504 || /json/.test(headers.get('content-type') ?? '');

/** Sends a request. A write that may be repeated is sent until an answer comes, or the person gives up. */
export async function untilAnswered(attempt: () => Promise<Response>, mayRepeat: boolean): Promise<Response> {
  const check = unlessGivenUp();
  for (;;) {
    const result = await attempt().catch((error: unknown) => error);
    if (result instanceof Response && isAnswer(result)) {
      if (isLost.get()) isLost.set(false);
      // The browser has just deleted the cookie of an ended session, and the page does not know yet.
      if (result.status !== 401) sendAgain();
      return result;
    }
    // fetch throws a TypeError if no answer came, and another error if the request was aborted.
    const mayCome = result instanceof Response || result instanceof TypeError;
    if (mayRepeat && mayCome) {
      check();
      await untilRepeated();
      check();
    } else if (result instanceof Response) return result;
    else throw result;
  }
}
