/** Messages of Phoenix channels, the protocol of Supabase Realtime: as lists in version 2.0.0, as objects in 1.0.0. */

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
