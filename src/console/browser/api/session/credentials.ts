/**
 * New credentials for a page whose session or token has ended. A bar asks for them and leaves the focus alone, so that
 * the page keeps what was typed; the rejected requests are then sent again.
 */
import { Question } from '../questions.ts';

/** The reason of the rejection, and whether there are new credentials. */
export const credentialsEnd = new Question<string, boolean>();
let renewal: Promise<boolean> | undefined;

/** Asks once for all requests that are rejected together. */
export function renewCredentials(reason: string): Promise<boolean> {
  renewal ??= credentialsEnd.ask(reason).finally(() => {
    renewal = undefined;
  });
  return renewal;
}
