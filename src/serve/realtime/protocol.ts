/**
 * The protocol of Supabase Realtime: messages of Phoenix channels, as lists in version 2.0.0 and as objects in 1.0.0,
 * and the `postgres_changes` of a channel.
 */

/** Which changes of a table a client wants. */
export interface Binding {
  readonly id: number;
  /** INSERT, UPDATE, DELETE or *. */
  readonly event: string;
  readonly schema: string;
  /** `*` for all tables of the schema. */
  readonly table: string;
  readonly filter: string | undefined;
  /** As the client wrote it: the reply repeats it. */
  readonly given: Readonly<Record<string, unknown>>;
}

export const ALL_TABLES = '*';
const EVENTS = ['*', 'INSERT', 'UPDATE', 'DELETE'];

/** Throws an error with a message for the client. */
export function readBindings(payload: Readonly<Record<string, unknown>>): readonly Binding[] {
  const { postgres_changes: list = [], broadcast, presence } = (payload.config ?? {}) as Record<string, unknown>;
  if (!Array.isArray(list)) throw new Error('postgres_changes is not a list');
  if (hasOption(presence, 'enabled')) throw unsupported('presence');
  if (hasOption(broadcast, 'self', 'ack', 'replay')) throw unsupported('broadcast');
  if (list.length === 0) throw unsupported('a channel without postgres_changes');
  return list.map((given: Record<string, unknown> | null, index) => {
    const { event, schema, table = ALL_TABLES, filter } = given ?? {};
    if (!EVENTS.includes(String(event))) throw new Error(`event: '${event}' is not one of ${EVENTS.join(', ')}`);
    if (typeof table !== 'string') throw new Error('table: name a table, such as products, or * for all');
    const text = typeof filter === 'string' && filter !== '' ? filter : undefined;
    if (table === ALL_TABLES && text !== undefined) throw new Error('filter: name the table that it applies to');
    return {
      id: index + 1,
      event: String(event),
      schema: String(schema ?? '*'),
      table,
      filter: text,
      given: given ?? {},
    };
  });
}

/** Whether the client asks for one of these. It sends options that are off for every channel. */
function hasOption(options: unknown, ...names: readonly string[]): boolean {
  return names.some((name) => Boolean((options as Record<string, unknown> | null | undefined)?.[name]));
}

export function unsupported(what: string): Error {
  return new Error(
    `${what} is not supported: a channel has postgres_changes only. Store messages or presence as rows of a collection, and subscribe to its changes`,
  );
}

const CONDITION = /^([^=]+)=((?:not\.)?)([a-z]+)\.(.*)$/s;
/** Their operands are lists and words, which have no quotes. */
const UNQUOTED = ['in', 'is'];

/** A filter such as `id=eq.1,name=neq."a,b"` as a query string: all of its conditions apply. */
export function filterQuery(filter: string): string {
  // Commas in parentheses and quotes do not separate conditions.
  const parts = filter.match(/(?:"(?:[^"\\]|\\.)*"|\((?:"(?:[^"\\]|\\.)*"|[^)])*\)|[^,])+/gs) ?? [];
  const conditions = parts.map((text) => {
    const [, name = '', not = '', operator = '', value = ''] = CONDITION.exec(text.trim()) ?? [];
    if (operator === '') throw new Error(`filter: '${text}' is not a condition. Use a form such as id=eq.1`);
    const isQuoted = UNQUOTED.includes(operator) || /^".*"$/s.test(value);
    return `${name}.${not}${operator}.${isQuoted ? value : JSON.stringify(value)}`;
  });
  return `and=${encodeURIComponent(`(${conditions.join(',')})`)}`;
}

export interface Message {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Undefined for anything else, such as a binary message. */
export function parseMessage(text: unknown): Message | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const message: unknown = JSON.parse(text);
    const [joinRef, ref, topic, event, payload] = Array.isArray(message)
      ? message
      : ['join_ref', 'ref', 'topic', 'event', 'payload'].map((name) => (message as Record<string, unknown>)[name]);
    if (typeof topic !== 'string' || typeof event !== 'string') return undefined;
    const isObject = typeof payload === 'object' && payload !== null;
    return { joinRef: textOf(joinRef), ref: textOf(ref), topic, event, payload: isObject ? payload : {} };
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export type Printer = (message: Pick<Message, 'topic' | 'event'> & Partial<Message>, payload: string) => string;

/** Prints a message with a payload that is JSON already. */
export function printerOf(version: string | null): Printer {
  if (version === '2.0.0') {
    return ({ joinRef = null, ref = null, topic, event }, payload) =>
      `${JSON.stringify([joinRef, ref, topic, event]).slice(0, -1)},${payload}]`;
  }
  return ({ ref = null, topic, event }, payload) =>
    `${JSON.stringify({ topic, event, ref }).slice(0, -1)},"payload":${payload}}`;
}
