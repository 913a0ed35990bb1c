/** An error that a function or trigger composes by `raise sqlstate 'PGRST'`, as in PostgREST. */
import { ApiError } from '../../../base/errors.ts';

export function chosenError(message: string, detail = ''): ApiError {
  const body = objectIn(message);
  const answer = objectIn(detail);
  const { code, message: words, details, hint } = body ?? {};
  const { status, headers = {} } = answer ?? {};
  const named = headersIn(headers);
  const isStatus = Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599;
  if (typeof code !== 'string' || typeof words !== 'string' || !isStatus || named === undefined) {
    const part = body === undefined ? `MESSAGE: '${message}'` : `DETAIL: '${detail}'`;
    return new ApiError('PGRST121', `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`, {
      details: detail === '' ? 'DETAIL is missing in the RAISE statement' : `Invalid JSON value for ${part}`,
      hint: 'MESSAGE is a JSON object with code and message, DETAIL one with status and headers.',
    });
  }
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return new ApiError('P0001', words, {
    details: text(details),
    hint: text(hint),
    sqlState: code,
    status: Number(status),
    headers: named,
  });
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function headersIn(given: unknown): Record<string, string> | undefined {
  try {
    return Object.fromEntries(new Headers(given as Record<string, string>));
  } catch {
    return undefined;
  }
}
