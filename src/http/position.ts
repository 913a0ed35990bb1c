/** Read-your-writes: a write returns its position, an opaque token, and the client sends it with later reads. */
export const POSITION_HEADER = 'catalogue-position';

/** The header of an answer to a write; empty if every read sees the write. */
export function positionHeader(position: string | undefined): Readonly<Record<string, string>> {
  return position === undefined ? {} : { [POSITION_HEADER]: position };
}
