/**
 * New credentials for a page whose session or token has ended. A dialog asks for them, so that the page keeps what was
 * typed; the rejected requests are then sent again.
 */
import { Question } from '../question.ts';

/** The reason of the rejection, and whether there are new credentials. */
export const credentialsEnd = new Question<string, boolean>();
let renewal: Promise<boolean> | undefined;

/** Asks once for all requests that are rejected together; undefined if the page has no dialog. */
export function renewCredentials(reason: string): Promise<boolean> | undefined {
  if (!credentialsEnd.hasDialog) return undefined;
  renewal ??= credentialsEnd.ask(reason).finally(() => {
    renewal = undefined;
  });
  return renewal;
}
