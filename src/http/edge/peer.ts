/** The client's end of the connection. */
export interface Peer {
  /** Marks the connection as active while the service works on an answer. */
  atWork(isAtWork: boolean): void;
  /** Undefined after a disconnect. */
  address(): string | undefined;
  /** Whether the connection itself is encrypted. */
  readonly isSecure: boolean;
}
