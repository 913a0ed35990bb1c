/** The status and headers that a function chooses by the settings `response.status` and `response.headers`. */
import { ApiError } from '../../../base/errors.ts';
import type { ChosenAnswer } from '../../engine.ts';
import { query, type Runner } from '../driver.ts';

const SETTINGS = `select nullif(current_setting('response.status', true), '') as status,
  nullif(current_setting('response.headers', true), '') as headers`;

export async function chosenAnswer(runner: Runner): Promise<{ chosen?: ChosenAnswer }> {
  const [settings] = await query<{ status: string | null; headers: string | null }>(runner, SETTINGS);
  const { status, headers } = settings!;
  if (status === null && headers === null) return {};
  return { chosen: { ...(status === null ? {} : { status: statusIn(status) }), ...headersIn(headers) } };
}

function statusIn(text: string): number {
  // The others announce a later answer (RFC 9110, 15.2).
  if (/^[2-5]\d\d$/.test(text)) return Number(text);
  throw new ApiError('PGRST112', 'response.status guc must be a valid status code', { details: text });
}

/** A list of objects with one header each. */
function headersIn(text: string | null): Pick<ChosenAnswer, 'headers' | 'cookies'> {
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  if (text === null) return { headers, cookies };
  try {
    for (const each of JSON.parse(text) as unknown[]) {
      const [entry, ...others] = Object.entries(each as object);
      if (entry === undefined || others.length > 0 || typeof entry[1] !== 'string') throw new TypeError();
      const name = entry[0].toLowerCase();
      if (name === 'set-cookie') cookies.push(...new Headers({ [name]: entry[1] }).getSetCookie());
      else headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${entry[1]}` : entry[1];
    }
    return { headers: Object.fromEntries(new Headers(headers)), cookies };
  } catch {
    throw new ApiError(
      'PGRST111',
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
    );
  }
}
