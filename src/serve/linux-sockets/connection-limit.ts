/**
 * Accepts no further connections while few file descriptors are left. Bun accepts connections until none is left.
 * Neither the database nor a thread could open a file then. Linux only.
 */

import { closeSync, openSync } from 'node:fs';
import { unlessThrown } from '../../base/errors.ts';
import { descriptors } from '../../base/files/descriptors.ts';
import { RESERVED_DESCRIPTORS } from '../../base/limits/http.ts';
import { admitConnections, dropWaiting, holdConnections, listeningSocket } from './shared-port.ts';

/** Interval between checks; connections that arrive within it may exceed the limit. */
const LOOK_EVERY_MS = 100;

/** Returns a function that ends the limit. */
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
  /** Found on demand, since the search is slow. */
  private socket: number | undefined;
  /** A reserved descriptor, for work that needs one when no other is left. */
  private spare: number | undefined = openSpare();

  constructor(
    private readonly port: number,
    private readonly notice: (message: string) => void,
  ) {}

  look(): void {
    const openDescriptors = descriptors();
    if (openDescriptors === undefined) return;
    const { open, limit } = openDescriptors;
    const reserve = Math.min(RESERVED_DESCRIPTORS, Math.floor(limit / 4));
    if (!this.isHeld && open > limit - reserve) {
      this.hold();
      this.notice(`${open} of ${limit} file descriptors are open: new connections wait until some are closed`);
    } else if (this.isHeld && open < limit - 2 * reserve) {
      this.isHeld = false;
      if (this.socket !== undefined) admitConnections(this.socket);
      this.notice(`${open} of ${limit} file descriptors are open: new connections are taken again`);
    }
    // They arrived between two checks.
    if (open >= limit) {
      this.freeSpare();
      if (this.socket !== undefined) dropWaiting(this.socket);
    }
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
}

function openSpare(): number | undefined {
  return unlessThrown(() => openSync('/dev/null', 'r'));
}
