/** The events of a feed, and the forms in which a client receives them. */
import { Call } from '../http/call.ts';

type EventName = 'row' | 'ready' | 'reset' | 'insert' | 'update' | 'delete';

export interface FeedEvent {
  readonly name: EventName;
  /** The row; the key of a deleted one. */
  readonly data: string;
  /** The key, for a `LiveCall`. */
  readonly key?: string;
}

/** Events that belong together, and the id to resume after them. */
interface LiveStep {
  readonly events: readonly FeedEvent[];
  readonly id: string | undefined;
  /** The number of characters. */
  readonly length: number;
}

/** Bytes of an event stream, or a step for a `LiveCall`. */
export type Chunk = Uint8Array | LiveStep;

export interface LiveSteps {
  /** Whether steps that the client has not received are discarded. */
  readonly isCut: boolean;
  /** Waits for the next steps. None if the feed has ended. */
  take(): Promise<readonly LiveStep[]>;
  cancel(): void;
}

/**
 * A call of the service itself for a feed that begins with the next change and has no rows. A row that enters the
 * filter by an update is an update, and one that leaves it has no event, as in Supabase Realtime. The response has no
 * body: `steps` has the events.
 */
export class LiveCall extends Call {
  /** Present in a call that was answered with 200. */
  steps?: LiveSteps;
}
