/**
 * A channel of Supabase Realtime with its `postgres_changes`. Each of them is a feed, requested from the service with
 * the credentials of the client: so roles, limits and checks of credentials apply.
 */
import { type Binding, filterQuery } from './bindings.ts';

export interface ChannelContext {
  /** Requests a path of the service with these headers. */
  readonly request: (path: string, headers: Headers) => Promise<Response>;
  /** Sends an event with its payload. Resolves when the client has room for more. */
  readonly send: (event: string, payload: string) => Promise<void>;
}

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** The names in Realtime of the events of a feed. */
const TYPES: Readonly<Record<string, string>> = { insert: 'INSERT', update: 'UPDATE', delete: 'DELETE' };

export class Channel {
  private feeds: Reader[] = [];
  private token: string | undefined;
  private isClosed = false;
  /** The last positions, by binding. */
  private readonly positions = new Map<Binding, string>();

  constructor(
    private readonly bindings: readonly Binding[],
    private readonly context: ChannelContext,
  ) {}

  /** Opens the feeds, or continues them with another token. Throws an error with a message for the client. */
  async open(token: string | undefined): Promise<void> {
    if (this.feeds.length > 0 && token === this.token) return;
    this.token = token;
    const earlier = this.feeds.splice(0);
    for (const feed of earlier) await feed.cancel();
    for (const binding of this.bindings) {
      const feed = (await this.request(binding)).body!.getReader() as Reader;
      this.feeds.push(feed);
      if (this.isClosed) return this.close();
      void this.follow(binding, feed);
    }
  }

  close(): void {
    this.isClosed = true;
    for (const feed of this.feeds.splice(0)) void feed.cancel();
  }

  private async request(binding: Binding): Promise<Response> {
    const { table, schema, filter } = binding;
    const headers = new Headers({ accept: 'text/event-stream' });
    if (schema !== '*') headers.set('accept-profile', schema);
    if (this.token !== undefined) headers.set('authorization', `Bearer ${this.token}`);
    const position = this.positions.get(binding);
    if (position !== undefined) headers.set('last-event-id', position);
    const query = filter === undefined ? '' : `?${filterQuery(filter)}`;
    const response = await this.context.request(`/${encodeURIComponent(table)}${query}`, headers);
    if (response.status === 200) return response;
    const { message, hint } = (await response.json()) as { message: string; hint: string | null };
    throw new Error(hint === null ? message : `${message}. ${hint}`);
  }

  private async follow(binding: Binding, feed: Reader): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for (let part = await feed.read(); !part.done; part = await feed.read()) {
        const blocks = (rest + decoder.decode(part.value, { stream: true })).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) await this.receive(binding, block);
      }
    } catch {
      // The feed disconnected a slow client.
    }
    // The client joins again.
    if (this.feeds.includes(feed)) await this.context.send('phx_error', '{}');
  }

  private async receive(binding: Binding, block: string): Promise<void> {
    const { id, event, table, schema } = binding;
    const lines = block.split('\n');
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const type = TYPES[field('event') ?? ''];
    if (type !== undefined && (event === '*' || event === type)) {
      const [key, row] = field('data')!.split('\t') as [string, string];
      const described = { schema, table, commit_timestamp: new Date().toISOString(), type, columns: [], errors: null };
      const record = type === 'DELETE' ? '' : `,"record":${row}`;
      const old = type === 'INSERT' ? '' : `,"old_record":${key}`;
      const data = `${JSON.stringify(described).slice(0, -1)}${record}${old}}`;
      await this.context.send('postgres_changes', `{"ids":[${id}],"data":${data}}`);
    }
    const position = field('id');
    if (position !== undefined) this.positions.set(binding, position);
  }
}
