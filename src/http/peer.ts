/** The other end of the connection that a request came on. */
export interface Peer {
  /** Told when the service begins to work at an answer, and when it has done so: in between the connection is not idle. */
  atWork(isAtWork: boolean): void;
  /** Undefined where it is gone already. */
  address(): string | undefined;
  /** Whether the connection itself is encrypted. */
  readonly isSecure: boolean;
}
