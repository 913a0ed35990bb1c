/**
 * Limits uploads in progress: their number and the memory of their chunks, of one caller and in total, and the bytes
 * that they have stored. If there is no room, stalled uploads are dropped first; otherwise the new one is rejected.
 */
import type { ApiError } from '../base/errors.ts';
import {
  MAX_UPLOADS,
  MAX_UPLOADS_BYTES,
  MAX_UPLOADS_BYTES_PER_CALLER,
  MAX_UPLOADS_PER_CALLER,
} from '../base/limits/files.ts';
import type { IncomingBody } from '../http/body/incoming-body.ts';
import { notStored } from './errors.ts';

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

  begin(caller: string, body: IncomingBody): UploadInProgress {
    const upload = new UploadInProgress(caller, body, this);
    this.makeRoom(caller, { ...NOTHING, count: 1 });
    this.uploads.add(upload);
    return upload;
  }

  end(upload: UploadInProgress): void {
    this.uploads.delete(upload);
  }

  makeRoom(caller: string, room: Room): void {
    const isOwn = (upload: UploadInProgress) => upload.caller === caller;
    if (!this.hasRoom(PER_CALLER, room, isOwn)) throw tooMany('CAT429', 'you have too many uploads in progress');
    if (!this.hasRoom(TOTAL, room)) throw tooMany('CAT503', 'too many uploads are in progress');
  }

  /** Drops stalled uploads until there is room. Returns whether there is. */
  hasRoom(limit: Room, { count, bytes }: Room, test = (_upload: UploadInProgress) => true): boolean {
    const uploads = [...this.uploads].filter(test);
    const sum = (part: 'memory' | 'arriving') => uploads.reduce((total, each) => total + each[part], 0);
    const isOver = () =>
      uploads.length + count > limit.count || sum('memory') + bytes > limit.bytes || sum('arriving') > limit.arriving;
    if (isOver()) uploads.sort((one, other) => other.body.idleMs - one.body.idleMs);
    while (isOver()) {
      const [longest] = uploads;
      if (longest?.body.isStalled !== true) return false;
      uploads.shift();
      longest.end();
      longest.body.drop();
    }
    return true;
  }
}

export class UploadInProgress {
  /** The bytes in memory, and those of the file that is arriving. */
  memory = 0;
  arriving = 0;

  constructor(
    readonly caller: string,
    readonly body: IncomingBody,
    private readonly budget: UploadBudget,
  ) {}

  /** Adds memory; a negative number releases it. */
  hold(bytes: number): void {
    if (bytes > 0) this.budget.makeRoom(this.caller, { ...NOTHING, bytes });
    this.memory += bytes;
  }

  /** Adds bytes of a file. Returns whether all that is arriving fits into the room. */
  arrive(bytes: number, room: number): boolean {
    this.arriving += bytes;
    return room === UNLIMITED || this.budget.hasRoom({ ...ANY, arriving: room }, NOTHING);
  }

  end(): void {
    this.budget.end(this);
  }
}

export function tooSlow(): ApiError {
  return tooMany('CAT503', 'the file came too slowly while others waited');
}

function tooMany(code: 'CAT429' | 'CAT503', message: string): ApiError {
  return notStored(code, message, 'Try again in a moment.').with({ headers: { 'retry-after': '1' } });
}
