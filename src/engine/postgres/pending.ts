/**
 * The work under way on a server, each with the time by which it must have ended: the server keeps the time of a
 * statement, and this is for a server that keeps nothing any more. One clock serves all: a timer for each piece of work
 * would cost more than the rest of a quick read.
 */
import { NoAnswer } from './driver.ts';

const TICK_MS = 500;
/** What takes longer may wait for a server that is no longer there. */
const SLOW_MS = 1_000;

interface Piece {
  readonly at: number;
  readonly giveUp: (reason: unknown) => void;
  /** Set by work that has a connection of its own, or waits for one. */
  isApart: boolean;
}

/** For work that says so. */
export type Apart = Pick<Piece, 'isApart'>;

export class Pending {
  /** In the order of their ends, since all get the same time. */
  private readonly pieces = new Set<Piece>();
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly milliseconds: number,
    /** Told twice a second while something takes long. */
    private readonly isSlow: () => void = () => {},
  ) {}

  get size(): number {
    return this.pieces.size;
  }

  /** The same outcome; or NoAnswer, when there is none in time. `recover` may make another one of an error. */
  add<T>(work: (piece: Apart) => Promise<T>, recover?: (error: unknown) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        // It may fail once more after it was given up.
        if (!this.pieces.delete(piece)) return;
        if (recover === undefined) reject(error);
        else resolve(recover(error));
      };
      const piece: Piece = { at: performance.now(), giveUp: fail, isApart: false };
      const begun = work(piece);
      this.pieces.add(piece);
      this.timer ??= setInterval(() => this.look(), TICK_MS).unref();
      begun.then((result) => {
        this.pieces.delete(piece);
        resolve(result);
      }, fail);
    });
  }

  /** The one that has waited longest on a connection that others use, too. */
  oldestShared(): { readonly at: number } | undefined {
    for (const piece of this.pieces) if (!piece.isApart) return piece;
    return undefined;
  }

  giveUp(reason: unknown): void {
    for (const piece of [...this.pieces]) piece.giveUp(reason);
  }

  /** Resolves when there is none, or when the time for it is up. */
  async settled(seconds: number): Promise<void> {
    const until = performance.now() + seconds * 1000;
    while (this.pieces.size > 0 && performance.now() < until) await Bun.sleep(5);
  }

  private look(): void {
    const now = performance.now();
    const [oldest] = this.pieces;
    if (oldest !== undefined && now - oldest.at > SLOW_MS) this.isSlow();
    for (const piece of this.pieces) {
      if (piece.at + this.milliseconds > now) break;
      piece.giveUp(new NoAnswer('no answer in time'));
    }
    if (this.pieces.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
