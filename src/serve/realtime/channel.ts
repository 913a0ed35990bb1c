/**
 * A channel of Supabase Realtime with its `postgres_changes`. Each of them is a feed, requested from the service with
 * the credentials of the client: so roles, limits and checks of credentials apply.
 */
import type { FeedEvent, LiveSteps } from '../../feed/feed-event.ts';
import { ALL_TABLES, type Binding, filterQuery } from './protocol.ts';

interface ChannelContext {
  /** Requests the feed of a path of the service with these headers. Throws a `RejectedRequest`. */
  readonly request: (path: string, headers: Headers) => Promise<LiveSteps>;
  /** The tables that the caller finds in the document at `/`. */
  readonly tables: (headers: Headers) => Promise<readonly string[]>;
  /** Sends an event with its payload as soon as the client has room for it, unless its feed is cut before. */
  readonly send: (event: string, payload: string, feed?: LiveSteps) => Promise<void>;
}

/** An error of the service, with a message for the client. */
export class RejectedRequest extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** A table without a key or a log, or one that the caller may not read, is not one of all tables. */
const WITHOUT_FEED = ['CAT501', '42501', 'PGRST127'];

/** The names in Realtime of the events of a feed. */
const TYPES: Readonly<Record<string, string>> = { insert: 'INSERT', update: 'UPDATE', delete: 'DELETE' };

export class Channel {
  private feeds: LiveSteps[] = [];
  private token: string | undefined;
  private isClosed = false;
  /** The last positions, by binding and table. */
  private readonly positions = new Map<string, string>();

  constructor(
    private readonly bindings: readonly Binding[],
    private readonly context: ChannelContext,
  ) {}

  /** Opens the feeds, or continues them with another token. Throws an error with a message for the client. */
  async open(token: string | undefined): Promise<void> {
    if (this.feeds.length > 0 && token === this.token) return;
    this.token = token;
    const earlier = this.feeds.splice(0);
    for (const feed of earlier) feed.cancel();
    for (const binding of this.bindings) {
      if (binding.table !== ALL_TABLES) await this.begin(binding);
      else await this.beginAll(binding);
      if (this.isClosed) return this.close();
    }
  }

  private async begin(binding: Binding): Promise<void> {
    const feed = await this.request(binding);
    this.feeds.push(feed);
    if (!this.isClosed) void this.follow(binding, feed);
  }

  /** One feed for each table that has one. */
  private async beginAll(binding: Binding): Promise<void> {
    let rejected: unknown = new Error('the schema has no tables that can be followed');
    const { length } = this.feeds;
    for (const table of await this.context.tables(this.headersOf(binding))) {
      await this.begin({ ...binding, table }).catch((error) => {
        if (!(error instanceof RejectedRequest) || !WITHOUT_FEED.includes(error.code)) throw error;
        rejected = error;
      });
    }
    if (this.feeds.length === length) throw rejected;
  }

  close(): void {
    this.isClosed = true;
    for (const feed of this.feeds.splice(0)) feed.cancel();
  }

  private headersOf({ schema }: Binding): Headers {
    const headers = new Headers();
    if (schema !== '*') headers.set('accept-profile', schema);
    if (this.token !== undefined) headers.set('authorization', `Bearer ${this.token}`);
    return headers;
  }

  private request(binding: Binding): Promise<LiveSteps> {
    const { table, filter } = binding;
    const headers = this.headersOf(binding);
    headers.set('accept', 'text/event-stream');
    const position = this.positions.get(feedName(binding));
    if (position !== undefined) headers.set('last-event-id', position);
    const query = filter === undefined ? '' : `?${filterQuery(filter)}`;
    return this.context.request(`/${encodeURIComponent(table)}${query}`, headers);
  }

  private async follow(binding: Binding, feed: LiveSteps): Promise<void> {
    for (let steps = await feed.take(); steps.length > 0; steps = await feed.take()) {
      for (const { events, id } of steps) {
        for (const event of events) await this.receive(binding, event, feed);
        if (id !== undefined && !feed.isCut) this.positions.set(feedName(binding), id);
      }
    }
    // The client joins again.
    if (this.feeds.includes(feed)) await this.context.send('phx_error', '{}');
  }

  private async receive(binding: Binding, { name, key, data: row }: FeedEvent, feed: LiveSteps): Promise<void> {
    const { id, event, table, schema } = binding;
    const type = TYPES[name];
    if (type === undefined || (event !== '*' && event !== type)) return;
    const described = { schema, table, commit_timestamp: new Date().toISOString(), type, columns: [], errors: null };
    const record = type === 'DELETE' ? '' : `,"record":${row}`;
    const old = type === 'INSERT' ? '' : `,"old_record":${key}`;
    const data = `${JSON.stringify(described).slice(0, -1)}${record}${old}}`;
    await this.context.send('postgres_changes', `{"ids":[${id}],"data":${data}}`, feed);
  }
}

function feedName({ id, table }: Binding): string {
  return `${id} ${table}`;
}
