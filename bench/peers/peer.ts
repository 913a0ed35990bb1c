/** Another server with the same 77 products: how to start it, and the URLs of the same reads. */
import type { READS } from '../cases/reads.ts';
import type { Load } from '../load.ts';
import type { Server } from '../servers.ts';

export interface Peer {
  readonly name: string;
  /** Starts the server in an empty folder. */
  readonly start: (folder: string) => Promise<Server>;
  readonly reads: Readonly<Record<keyof typeof READS, PeerRead>>;
  readonly post: Load;
  /** The rows of a response, as the service sends them, if its own form differs. */
  readonly rowsOf?: (body: unknown) => unknown;
}

export interface PeerRead {
  readonly script: string;
  /** The path that corresponds to the first sample path of the service. */
  readonly sample: string;
}
