/** Refuses a LIKE pattern that is none. PostgreSQL notices only when a row reaches its end; a client should hear it always. */
import { Refusal } from '../errors.ts';

export function checkLike(pattern: string): void {
  const trailing = /\\*$/.exec(pattern)?.[0].length ?? 0;
  if (trailing % 2 === 0) return;
  throw new Refusal('22025', 'LIKE pattern must not end with escape character', {
    hint: 'Write \\\\ for a backslash that is meant literally.',
  });
}
