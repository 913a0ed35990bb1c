/**
 * Takes no further connections while hardly any file descriptors are left. Bun would go on accepting them until none is
 * left; from then on it tries again and again without a pause (https://github.com/oven-sh/bun/pull/32705), and neither
 * the database nor a thread could open a file. Linux only; elsewhere nothing is watched.
 */
import { closeSync, openSync } from 'node:fs';
import { descriptors } from '../descriptors.ts';
import { RESERVED_DESCRIPTORS } from '../limits.ts';
import { admitConnections, dropWaiting, holdConnections, listeningSocket } from './shared-port.ts';

/** Connections that come within this time may be taken before it is noticed that they are too many. */
const LOOK_EVERY_MS = 100;

/** Returns what ends it. */
export function limitConnections(port: number, notice: (message: string) => void): () => void {
  if (descriptors() === undefined) return () => undefined;
  const limiter = new ConnectionLimiter(port, notice);
  const timer = setInterval(() => limiter.look(), LOOK_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    limiter.freeSpare();
  };
}

class ConnectionLimiter {
  private isHeld = false;
  /** Looked for when it is needed: that takes longer than all else at the start. */
  private socket: number | undefined;
  /** One descriptor kept, to do with what needs one when there is no other. */
  private spare: number | undefined = openSpare();

  constructor(
    private readonly port: number,
    private readonly notice: (message: string) => void,
  ) {}

  look(): void {
    const known = descriptors();
    if (known === undefined) return;
    const { open, limit } = known;
    const reserve = Math.min(RESERVED_DESCRIPTORS, Math.floor(limit / 4));
    if (!this.isHeld && open > limit - reserve) {
      this.hold();
      this.notice(`${open} of ${limit} file descriptors are open: new connections wait until some are closed`);
    } else if (this.isHeld && open < limit - 2 * reserve) {
      this.isHeld = false;
      if (this.socket !== undefined) admitConnections(this.socket);
      this.notice(`${open} of ${limit} file descriptors are open: new connections are taken again`);
    }
    // They came too quickly to be held.
    if (open >= limit) this.drop();
    this.spare ??= openSpare();
  }

  freeSpare(): void {
    if (this.spare !== undefined) closeSync(this.spare);
    this.spare = undefined;
  }

  private hold(): void {
    this.isHeld = true;
    this.freeSpare();
    this.socket ??= listeningSocket(this.port);
    if (this.socket !== undefined) holdConnections(this.socket);
  }

  private drop(): void {
    this.freeSpare();
    if (this.socket !== undefined) dropWaiting(this.socket);
  }
}

function openSpare(): number | undefined {
  try {
    return openSync('/dev/null', 'r');
  } catch {
    return undefined;
  }
}
