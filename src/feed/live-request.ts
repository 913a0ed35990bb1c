/**
 * A request of the service itself for a feed that begins with the next change and has no rows. A row that enters the
 * filter by an update is an update, and one that leaves it has no event, as in Supabase Realtime. The response has no
 * body: `steps` has the events.
 */
import type { LiveStep } from './feed-event.ts';

export interface LiveSteps {
  /** Waits for the next steps. None if the feed has ended. */
  take(): Promise<readonly LiveStep[]>;
  cancel(): void;
}

export class LiveRequest extends Request {
  /** Present in a request that was answered with 200. */
  steps?: LiveSteps;
}
