/** The HTTP client of a data provider, which behaves like react-admin's fetchJson. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly body: { code: string; message: string },
  ) {
    super(body.message);
  }
}

export async function fetchJson(url: string, options: RequestInit) {
  const response = await fetch(url, options);
  const body = await response.text();
  const json: unknown = body === '' ? undefined : JSON.parse(body);
  if (!response.ok) throw new HttpError(response.status, json as HttpError['body']);
  return { status: response.status, headers: response.headers, body, json };
}
