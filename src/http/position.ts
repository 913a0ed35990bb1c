/**
 * Which write a read must see: the answer of a write names its position, and a client sends it back with its reads. It means nothing
 * to anybody but the database.
 */
export const POSITION_HEADER = 'catalogue-position';

export function readPosition(request: Request): string | undefined {
  return request.headers.get(POSITION_HEADER) ?? undefined;
}
