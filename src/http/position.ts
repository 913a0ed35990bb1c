/**
 * Read-your-writes: the answer of a write carries its position, and the client sends it with later reads. The token is
 * opaque to clients.
 */
export const POSITION_HEADER = 'catalogue-position';

export function readPosition(request: Request): string | undefined {
  return request.headers.get(POSITION_HEADER) ?? undefined;
}
