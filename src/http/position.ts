/** Read-your-writes: a write returns its position, an opaque token, and the client sends it with later reads. */
export const POSITION_HEADER = 'catalogue-position';

export function readPosition(request: Request): string | undefined {
  return request.headers.get(POSITION_HEADER) ?? undefined;
}
