/** The events of a feed, and the forms in which a client receives them. */

type EventName = 'row' | 'ready' | 'reset' | 'insert' | 'update' | 'delete';

export interface FeedEvent {
  readonly name: EventName;
  /** The row; the key of a deleted one. */
  readonly data: string;
  /** The key, for a `LiveRequest`. */
  readonly key?: string;
}

/** Events that belong together, and the id to resume after them. */
export interface LiveStep {
  readonly events: readonly FeedEvent[];
  readonly id: string | undefined;
  /** The number of characters. */
  readonly length: number;
}

/** Bytes of an event stream, or a step for a `LiveRequest`. */
export type Chunk = Uint8Array | LiveStep;
