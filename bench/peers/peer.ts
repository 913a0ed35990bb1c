/** Somebody else's server with the same 77 products: how it is started, and how it is asked for the same things. */
import type { READS } from '../cases/reads.ts';
import type { Load } from '../load.ts';
import type { Server } from '../servers.ts';

export interface Peer {
  readonly name: string;
  /** In an empty folder of its own. */
  readonly start: (folder: string) => Promise<Server>;
  readonly reads: Readonly<Record<keyof typeof READS, PeerRead>>;
  readonly post: Load;
}

export interface PeerRead {
  readonly script: string;
  /** Asks for what the first sample of the service's own read asks for. */
  readonly sample: string;
}
