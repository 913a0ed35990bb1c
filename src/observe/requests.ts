/** The line a request leaves in the log. */
import { type Answered, isFault } from '../app.ts';
import { Refusal } from '../errors.ts';
import type { Log } from './log.ts';

export function logAnswers(log: Log): (answer: Answered) => void {
  return ({ id, method, url, status, milliseconds, rows, error }) => {
    const level = isFault(error) ? 'error' : 'info';
    if (!log.enabled(level)) return;
    log.write(level, 'request', {
      id,
      method,
      path: withoutSecrets(url.slice(url.indexOf('/', 8))),
      status,
      ms: Math.round(milliseconds * 1000) / 1000,
      rows,
      ...(error instanceof Refusal ? { code: error.code } : {}),
      ...(isFault(error) ? { fault: error instanceof Error ? error.stack : String(error) } : {}),
    });
  };
}

/** Parameters that some clients put a secret into, whatever we make of them. */
const SECRETS = /([?&](?:apikey|api_key|access_token|token|jwt|password|secret)=)[^&]*/gi;

function withoutSecrets(path: string): string {
  return path.includes('?') ? path.replace(SECRETS, '$1***') : path;
}
