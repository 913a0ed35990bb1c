/**
 * Limits uploads in progress: their number and the memory of their chunks, of one caller and in total, and the bytes
 * that they have stored. If there is no room, stalled uploads are dropped first; otherwise the new one is rejected.
 */
import { ApiError } from '../base/errors.ts';
import {
  MAX_UPLOADS,
  MAX_UPLOADS_BYTES,
  MAX_UPLOADS_BYTES_PER_CALLER,
  MAX_UPLOADS_PER_CALLER,
} from '../base/limits/files.ts';
import { SLOWEST_BODY_BYTES, STALLED_BODY_SECONDS } from '../base/limits/http.ts';

interface Room {
  readonly count: number;
  /** The bytes in memory. */
  readonly bytes: number;
  /** The bytes of files that are still arriving. */
  readonly arriving: number;
}

const NOTHING: Room = { count: 0, bytes: 0, arriving: 0 };
const UNLIMITED = Number.POSITIVE_INFINITY;
const ANY: Room = { count: UNLIMITED, bytes: UNLIMITED, arriving: UNLIMITED };
const TOTAL: Room = { ...ANY, count: MAX_UPLOADS, bytes: MAX_UPLOADS_BYTES };
const PER_CALLER: Room = { ...ANY, count: MAX_UPLOADS_PER_CALLER, bytes: MAX_UPLOADS_BYTES_PER_CALLER };

export class UploadBudget {
  private readonly uploads = new Set<UploadInProgress>();

  /** `drop` ends the upload in favour of others. */
  begin(caller: string, drop: () => void): UploadInProgress {
    const upload: UploadInProgress = new UploadInProgress(caller, {
      hold: (bytes) => this.makeRoom(caller, { ...NOTHING, bytes }),
      fits: (arriving) => this.dropStalled({ ...ANY, arriving }, NOTHING, () => true),
      drop: () => {
        this.uploads.delete(upload);
        drop();
      },
      end: () => this.uploads.delete(upload),
    });
    this.makeRoom(caller, { ...NOTHING, count: 1 });
    this.uploads.add(upload);
    return upload;
  }

  private makeRoom(caller: string, room: Room): void {
    const isOwn = (upload: UploadInProgress) => upload.caller === caller;
    if (!this.dropStalled(PER_CALLER, room, isOwn)) throw tooMany('CAT429', 'you have too many uploads in progress');
    if (!this.dropStalled(TOTAL, room, () => true)) throw tooMany('CAT503', 'too many uploads are in progress');
  }

  /** Drops stalled uploads until there is room. Returns whether there is. */
  private dropStalled(limit: Room, { count, bytes }: Room, test: (upload: UploadInProgress) => boolean): boolean {
    const uploads = [...this.uploads].filter(test);
    let held = uploads.reduce((sum, upload) => sum + upload.memory, 0);
    let arriving = uploads.reduce((sum, upload) => sum + upload.arriving, 0);
    const isOver = () =>
      uploads.length + count > limit.count || held + bytes > limit.bytes || arriving > limit.arriving;
    if (isOver()) uploads.sort((one, other) => other.idleMs - one.idleMs);
    while (isOver()) {
      const [longest] = uploads;
      if (longest === undefined || longest.idleMs < STALLED_BODY_SECONDS * 1000) return false;
      uploads.shift();
      held -= longest.memory;
      arriving -= longest.arriving;
      longest.actions.drop();
    }
    return true;
  }
}

export class UploadInProgress {
  /** The bytes in memory, and those of the file that is arriving. */
  memory = 0;
  arriving = 0;
  private received = 0;
  private waitedMs = 0;
  /** Since when the service waits for bytes; undefined while it works on them. */
  private waitsSince: number | undefined;

  constructor(
    readonly caller: string,
    readonly actions: {
      readonly hold: (bytes: number) => void;
      readonly fits: (room: number) => boolean;
      readonly drop: () => void;
      readonly end: () => void;
    },
  ) {}

  /** The wait for the next bytes, or behind the minimum rate, so that single bytes do not count as progress. */
  get idleMs(): number {
    if (this.waitsSince === undefined) return 0;
    const waits = performance.now() - this.waitsSince;
    return Math.max(waits, this.waitedMs + waits - (this.received * 1000) / SLOWEST_BODY_BYTES);
  }

  /** Waits for the next bytes of the client. */
  async wait<T extends { readonly value?: Uint8Array | undefined }>(next: Promise<T>): Promise<T> {
    const since = performance.now();
    this.waitsSince = since;
    try {
      const result = await next;
      this.received += result.value?.length ?? 0;
      return result;
    } finally {
      this.waitsSince = undefined;
      this.waitedMs += performance.now() - since;
    }
  }

  /** Adds memory; a negative number releases it. */
  hold(bytes: number): void {
    if (bytes > 0) this.actions.hold(bytes);
    this.memory += bytes;
  }

  /** Adds bytes of a file. Returns whether all that is arriving fits into the room. */
  arrive(bytes: number, room: number): boolean {
    this.arriving += bytes;
    return room === UNLIMITED || this.actions.fits(room);
  }

  end(): void {
    this.actions.end();
  }
}

export function tooSlow(): ApiError {
  return tooMany('CAT503', 'the file came too slowly while others waited');
}

function tooMany(code: 'CAT429' | 'CAT503', message: string): ApiError {
  return new ApiError(code, message, {
    details: 'Nothing was stored.',
    hint: 'Try again in a moment.',
    headers: { 'retry-after': '1' },
  });
}
