/**
 * Stage 1, http: a request as the other stages see it.
 *
 * In: a `Request`, a request of a batch, or one that the service makes for its caller.
 * Out: a `Call` with its method, location, target, and headers, each parsed when a stage needs it.
 * Guarantees: no stage after this one sees a `Request`. The stage knows no SQL.
 * Throws: 406 for Accept, 400 for Prefer. `http/rows.ts` throws 404, 405 and 414; reading a body 400, 413, 415.
 */
import { parseFilter } from '../dialect/filter.ts';
import { type Preferences, parsePrefer } from '../dialect/prefer.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Query } from '../dialect/tree.ts';
import { type Accepted, acceptedCoding } from './content-coding.ts';
import { type Media, negotiate } from './negotiate.ts';
import type { SignedAddress } from './signed-address.ts';
import type { Target } from './target.ts';

/** Headers of a request as fields of a call: the text that the client sent, or null. Each is read on demand. */
const NAMES = {
  acceptLanguage: 'accept-language',
  apikey: 'apikey',
  askedClaims: 'x-as-claims',
  askedRole: 'x-as-role',
  authorization: 'authorization',
  contentDisposition: 'content-disposition',
  contentEncoding: 'content-encoding',
  contentLanguage: 'content-language',
  contentType: 'content-type',
  cookie: 'cookie',
  /** The site of the page, which no page can forge: https://www.w3.org/TR/fetch-metadata/ */
  fetchSite: 'sec-fetch-site',
  host: 'host',
  idempotencyKey: 'idempotency-key',
  ifMatchText: 'if-match',
  ifRange: 'if-range',
  lastEventId: 'last-event-id',
  mcpSession: 'mcp-session-id',
  mcpVersion: 'mcp-protocol-version',
  origin: 'origin',
  requestId: 'x-request-id',
  traceParent: 'traceparent',
  userAgent: 'user-agent',
} as const;

/** The caller, its address, and the schema and language that it asks for. Other headers are about the message. */
const OF_CALLER =
  /^(?:accept-(?:language|profile)|apikey|authorization|content-profile|cookie|host|origin|sec-fetch-site|traceparent|x-forwarded-(?:for|host|prefix|proto))$/;

class Fields {
  /** Only for `http`. */
  constructor(readonly headers: Headers) {}

  /** Distinguishes callers by their credentials. */
  get credentials(): string {
    return JSON.stringify(['authorization', 'apikey', 'cookie'].map((name) => this.headers.get(name)));
  }

  get cookies(): Readonly<Record<string, string>> {
    const pairs = (this.headers.get('cookie') ?? '').split(';').flatMap((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]];
    });
    return Object.fromEntries(pairs);
  }

  /** All headers but the cookies, as functions of the database see them. */
  get shownHeaders(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.headers].filter(([name]) => name !== 'cookie'));
  }

  /** For a request that the service makes for the caller. */
  callerHeaders(): Headers {
    return new Headers([...this.headers].filter(([name]) => OF_CALLER.test(name)));
  }
}

for (const [field, name] of Object.entries(NAMES)) {
  Object.defineProperty(Fields.prototype, field, {
    get(this: Fields) {
      return this.headers.get(name);
    },
  });
}

const HeaderFields = Fields as new (headers: Headers) => Fields & Record<keyof typeof NAMES, string | null>;

export interface Location {
  /** The prefix as the client sees it: `/api`, or empty. */
  readonly prefix: string;
  /** Path and query within the service. */
  readonly path: string;
}

/** The location before the edge checks. */
export const UNKNOWN: Location = { prefix: '', path: '' };
const NOWHERE: Target = { kind: 'nowhere', name: '', isOwn: false };

export const WRITES: readonly string[] = ['POST', 'PATCH', 'PUT', 'DELETE'];

/** The body of a request; the signal, if its client may leave. */
type IncomingMessage = Pick<Request, 'bytes' | 'body'> & { readonly signal?: AbortSignal };

/** The languages of a request, unless they are that of the fields themselves. */
interface Languages {
  /** The language of the fields themselves. */
  readonly own: string;
  /** The language in which it reads. */
  readonly shown: string | undefined;
  /** The language of its body. */
  readonly written: string | undefined;
  /** The language that a tag names: in the path of a request of a batch, in a call, or in a stored query. */
  readonly named: (tag: string) => string | undefined;
}

export class Call extends HeaderFields {
  /** Edge checks: what the path addresses. */
  target = NOWHERE;
  /** Set if the address is signed: then `location` is without the signature. */
  signed: SignedAddress | undefined;
  /** Set if fields have translations. */
  languages: Languages | undefined;
  /** Several stages read these. */
  readonly accept: string | null;
  readonly prefer: string | null;
  /** Other methods ignore it (RFC 9110, 14.2). */
  readonly range: string | null;

  constructor(
    readonly method: string,
    /** Edge checks set it for a request. */
    public location: Location,
    headers: Headers,
    readonly requestUrl = '',
    /** Undefined for a request from within the process. */
    readonly peer?: Peer | undefined,
    private readonly body?: IncomingMessage | undefined,
  ) {
    super(headers);
    this.accept = headers.get('accept');
    this.prefer = headers.get('prefer');
    this.range = method === 'GET' ? headers.get('range') : null;
  }

  static of(request: Request, peer?: Peer): Call {
    return new Call(request.method, UNKNOWN, request.headers, request.url, peer, request);
  }

  /** The same request for another location. */
  at(location: Location, method = this.method): Call {
    const call = new Call(method, location, this.headers, this.requestUrl, this.peer, this.body);
    call.languages = this.languages;
    return call;
  }

  /** The same request without its body, for work after the answer: the runtime may release the request. */
  copy(): Call {
    const copied = new Call(this.method, this.location, new Headers(this.headers), this.requestUrl, this.peer);
    return Object.assign(copied, { signed: this.signed });
  }

  get isRead(): boolean {
    return this.method === 'GET' || this.method === 'HEAD';
  }

  get isWrite(): boolean {
    return WRITES.includes(this.method);
  }

  /**
   * Whether it has credentials that a page of another origin does not know, unlike a cookie. A preflight request only
   * names the headers of the request that will follow.
   */
  get hasOwnCredentials(): boolean {
    if (this.method !== 'OPTIONS') return (this.authorization ?? this.apikey) !== null;
    return /\b(?:authorization|apikey)\b/i.test(this.headers.get('access-control-request-headers') ?? '');
  }

  /** Path and query as the client sees them. */
  get url(): string {
    return this.location.prefix + this.location.path;
  }

  /** The path within the service, without the query. */
  get pathname(): string {
    return this.location.path.split('?', 1)[0]!;
  }

  /** The text after `?`. */
  get query(): string {
    const { path } = this.location;
    const mark = path.indexOf('?');
    return mark === -1 ? '' : path.slice(mark + 1);
  }

  /** The syntax tree of the query, in the language of the request. */
  parseQuery(acceptsFacets = false): Query {
    const parsed = parseQuery(this.query, acceptsFacets);
    if (parsed.language === undefined && this.languages?.shown === undefined) return parsed;
    const { language, ...query } = parsed;
    // Without translations it is a filter without an operator.
    if (language !== undefined && this.languages === undefined) parseFilter('lang', language);
    const shown = language === undefined ? this.languages?.shown : this.languages!.named(language);
    return shown === undefined ? query : { ...query, language: shown };
  }

  get media(): Media {
    return negotiate(this.accept);
  }

  /** The content coding of the answer. */
  get accepted(): Accepted | undefined {
    return acceptedCoding(this.headers.get('accept-encoding'));
  }

  get preferences(): Preferences {
    return parsePrefer(this.prefer);
  }

  /** The schema: writes name it in Content-Profile, reads in Accept-Profile. */
  get profile(): string | null {
    return this.headers.get(this.isWrite ? 'content-profile' : 'accept-profile');
  }

  /** The position of an earlier write, which a read must see. */
  get position(): string | undefined {
    return this.headers.get(POSITION_HEADER) ?? undefined;
  }

  /** The versions that a row may have; `*` means any. If-Match compares strongly, so weak tags are ignored. */
  get ifMatch(): readonly string[] | '*' | undefined {
    const header = this.ifMatchText;
    if (header === null) return undefined;
    if (header.trim() === '*') return '*';
    return header
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag.startsWith('"') && tag.endsWith('"'))
      .map((tag) => tag.slice(1, -1).split('.')[0]!);
  }

  /** Whether the client already has this version (If-None-Match, weak comparison; RFC 9110, 13.1.2). */
  has(tag: string | undefined): boolean {
    const header = this.isRead ? this.headers.get('if-none-match') : null;
    if (header === null || tag === undefined) return false;
    const tags = header.split(',').map((each) => each.trim().replace(/^W\//, ''));
    return header.trim() === '*' || tags.includes(tag);
  }

  /** `If-None-Match: *` on a PUT: the row may be created but not replaced (RFC 9110, 13.1.2). */
  get isCreateOnly(): boolean {
    return this.method === 'PUT' && this.headers.get('if-none-match')?.trim() === '*';
  }

  bytes(): Promise<Uint8Array> {
    return this.body?.bytes() ?? Promise.resolve(new Uint8Array());
  }

  /** The body as it arrives. */
  get stream(): ReadableStream<Uint8Array> | null {
    return this.body?.body ?? null;
  }

  /** Whether nobody waits for the answer any more. */
  get isAborted(): boolean {
    return this.body?.signal?.aborted === true;
  }
}

/** The first slash after this position belongs to the path. */
const PAST_SCHEME = 'http://'.length + 1;

/** Without a usable Host, the URL has no scheme and host, and may contain any bytes that no header may hold. */
export function pathAndQuery(url: string): string {
  if (url[0] === '/') return url.split('#', 1)[0]!.replace(/[^\x00-\x7f]+/g, encodeURIComponent);
  const start = url.indexOf('/', PAST_SCHEME);
  const hash = url.indexOf('#');
  if (start === -1) return '/';
  return hash === -1 ? url.slice(start) : url.slice(start, hash);
}

/** Read-your-writes: a write returns its position, an opaque token, and the client sends it with later reads. */
export const POSITION_HEADER = 'catalogue-position';

/** The header of an answer to a write; empty if every read sees the write. */
export function positionHeader(position: string | undefined): Readonly<Record<string, string>> {
  return position === undefined ? {} : { [POSITION_HEADER]: position };
}

/** The client's end of the connection. */
export interface Peer {
  /** Marks the connection as active while the service works on an answer. */
  atWork(isAtWork: boolean): void;
  /** Soon closes a connection that does not take what it was sent, so that its memory is free. */
  drop(): void;
  /** Undefined after a disconnect. */
  address(): string | undefined;
  /** Whether the connection itself is encrypted. */
  readonly isSecure: boolean;
}
