/** Rejects an invalid LIKE pattern. PostgreSQL reports it only if a row is compared up to the pattern's end. */
import { ApiError } from '../base/errors.ts';

export function checkLike(pattern: string): void {
  let trailing = 0;
  while (pattern[pattern.length - 1 - trailing] === '\\') trailing++;
  if (trailing % 2 === 0) return;
  throw new ApiError('22025', 'LIKE pattern must not end with escape character', {
    hint: 'Write \\\\ for a literal backslash.',
  });
}
