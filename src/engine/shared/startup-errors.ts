/** Describes expected database and file errors for commands. */
import { fileProblem } from '../../base/files/file-problem.ts';
import { isLoss, describe as postgresWords, sqlState } from '../postgres/errors.ts';
import { describe as sqliteWords } from '../sqlite/errors.ts';

/** One sentence; undefined for an unexpected error, which needs a stack. */
export function startupError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall, path, message } = error as NodeJS.ErrnoException;
  if (code.startsWith('SQLITE_')) return sqliteWords({ code, message });
  if (sqlState(error) !== undefined || isLoss(error)) return postgresWords(error);
  if (syscall === undefined) return undefined;
  const words = fileProblem(error);
  return path === undefined || words === message ? words : `${path}: ${words}`;
}
