/** Headers of a request as fields of a call: the text that the client sent, or null. Each is read on demand. */
const NAMES = {
  accept: 'accept',
  acceptLanguage: 'accept-language',
  apikey: 'apikey',
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
  origin: 'origin',
  prefer: 'prefer',
  requestId: 'x-request-id',
  traceParent: 'traceparent',
  userAgent: 'user-agent',
} as const;

/** Who asks, from where, and for which schema and language. Other headers are about the message. */
const OF_CALLER =
  /^(?:accept-(?:language|profile)|apikey|authorization|content-profile|cookie|host|origin|sec-fetch-site|traceparent|x-as-role|x-forwarded-(?:for|host|prefix|proto))$/;

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

export const HeaderFields = Fields as new (headers: Headers) => Fields & Record<keyof typeof NAMES, string | null>;
