/** A client of a feed: reads the stream of a real response, and assembles the list from its events. */
import { until } from '../processes/process.ts';

type Data = Readonly<Record<string, unknown>>;

export interface StreamEvent {
  readonly name: string;
  readonly data: Data;
}

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

export class EventClient {
  readonly events: StreamEvent[] = [];
  /** The rows by key, as a client would show them. */
  rows = new Map<string, Data>();
  /** The position of the last complete step. */
  position: string | undefined;
  /** The rows at every position received, the last one last. */
  readonly steps = new Map<string, ReadonlyMap<string, Data>>();
  /** Events that contradict the rows: an insert of an existing row, a change of one that does not exist. */
  readonly contradictions: StreamEvent[] = [];
  text = '';
  isEnded = false;
  response: Response | undefined;
  private readonly abort = new AbortController();

  private constructor(private readonly keys: readonly string[]) {}

  static async open(
    fetch: Fetch,
    path: string,
    options: { headers?: Record<string, string>; keys?: readonly string[]; from?: EventClient } = {},
  ): Promise<EventClient> {
    const client = new EventClient(options.keys ?? ['id']);
    const { from } = options;
    if (from !== undefined) {
      client.rows = new Map(from.position === undefined ? [] : from.steps.get(from.position));
      client.position = from.position;
      if (from.position !== undefined) client.steps.set(from.position, new Map(client.rows));
    }
    const resume: Record<string, string> = from?.position === undefined ? {} : { 'last-event-id': from.position };
    const headers = { accept: 'text/event-stream', ...resume, ...options.headers };
    const response = await fetch(path, { headers, signal: client.abort.signal });
    client.response = response;
    if (response.status === 200) void client.read(response.body!);
    return client;
  }

  /** The names and data of the events since the last call. */
  take(): readonly (readonly [string, Data])[] {
    return this.events.splice(0).map(({ name, data }) => [name, data]);
  }

  /** Waits for this many events and takes them. */
  async next(count = 1): Promise<readonly (readonly [string, Data])[]> {
    await until(
      `${count} events, not ${JSON.stringify(this.events)}`,
      () => this.events.length >= count || this.isEnded,
    );
    return this.take();
  }

  async ready(): Promise<this> {
    await until('event: ready', () => this.events.some(({ name }) => name === 'ready') || this.isEnded);
    return this;
  }

  async ended(): Promise<void> {
    await until('the end of the stream', () => this.isEnded);
  }

  close(): void {
    this.abort.abort();
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of body) {
        const text = decoder.decode(chunk, { stream: true });
        this.text += text;
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) this.receive(block);
      }
    } catch {
      // The connection was cut.
    }
    this.isEnded = true;
  }

  private receive(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2)];
      }),
    );
    const name = fields.get('event');
    if (name !== undefined) {
      const data = JSON.parse(fields.get('data')!) as Data;
      this.events.push({ name, data });
      this.apply(name, data);
    }
    const id = fields.get('id');
    if (id === undefined) return;
    this.position = id;
    this.steps.set(id, new Map(this.rows));
  }

  private apply(name: string, data: Data): void {
    const key = JSON.stringify(this.keys.map((each) => data[each]));
    const isExpected = name === 'row' || name === 'insert' ? !this.rows.has(key) : this.rows.has(key);
    if (!['ready', 'reset'].includes(name) && !isExpected) this.contradictions.push({ name, data });
    if (name === 'reset') this.rows.clear();
    else if (name === 'delete') this.rows.delete(key);
    else if (name !== 'ready') this.rows.set(key, data);
  }
}
