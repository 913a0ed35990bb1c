/**
 * Errors that a statement raises by itself. PostgreSQL has no function for that, so a cast fails. Its message holds a
 * random text, in any language, which no trigger and no rule of an adopted table reports.
 */
import { quoteText } from '../sql/statement.ts';
import { sqlState } from './errors.ts';

export function raisedText(words: string): string {
  return `${words} ${crypto.randomUUID()}`;
}

/** A condition that is true, or fails with the text. */
export function raiseIf(condition: string, text: string): string {
  return `(case when ${condition} then ${quoteText(text)} end)::pg_lsn is null`;
}

export function isRaised(error: unknown, text: string): boolean {
  return sqlState(error) === '22P02' && (error as Error).message.includes(text);
}
