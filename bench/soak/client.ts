/**
 * A client that knows the expected response to each request. It records every unexpected response, and all latencies.
 */

export interface Noted {
  /** The latencies in milliseconds since they were last read. */
  milliseconds: number[];
  readonly errors: string[];
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly expect?: readonly number[];
}

export class Client {
  constructor(
    private readonly url: string,
    private readonly noted: Noted,
  ) {}

  /** Sends a request and reads the response to its end. The text is empty if the status is unexpected. */
  async ask(path: string, { expect = [200], ...init }: Ask = {}): Promise<{ text: string; headers: Headers }> {
    const started = performance.now();
    try {
      const response = await fetch(`${this.url}${path}`, init as RequestInit);
      const text = await response.text();
      if (expect.includes(response.status)) return { text, headers: response.headers };
      this.noted.errors.push(`${init.method ?? 'GET'} ${path}: ${response.status} ${text.slice(0, 200)}`);
    } catch (error) {
      this.noted.errors.push(`${init.method ?? 'GET'} ${path}: ${error}`);
    } finally {
      this.noted.milliseconds.push(performance.now() - started);
    }
    return { text: '', headers: new Headers() };
  }

  send(method: string, path: string, body: unknown, expect: readonly number[], prefer = ''): Promise<{ text: string }> {
    const headers = { 'content-type': 'application/json', ...(prefer === '' ? {} : { prefer }) };
    return this.ask(path, { method, headers, body: JSON.stringify(body), expect });
  }

  /** Streams a download up to a number of bytes, then closes the connection. */
  async download(path: string, accept: string, most = Number.POSITIVE_INFINITY): Promise<void> {
    const hangUp = new AbortController();
    try {
      const response = await fetch(`${this.url}${path}`, { headers: { accept }, signal: hangUp.signal });
      if (response.status !== 200) this.noted.errors.push(`GET ${path}: ${response.status}`);
      let bytes = 0;
      for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
        bytes += part.length;
        if (bytes > most) break;
      }
    } catch (error) {
      this.noted.errors.push(`GET ${path} as ${accept}: ${error}`);
    } finally {
      hangUp.abort();
    }
  }
}
