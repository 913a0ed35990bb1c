/** The live feed of a list: every change of its rows, for as long as the page listens. */
import { useEffect, useEffectEvent } from 'react';
import type { Row } from './catalogue.ts';
import { askTexts, parseExactly } from './client.ts';
import { ApiError } from './errors.ts';
import { isLoggedIn } from './session/session.ts';

export interface FeedEvent {
  readonly kind: 'row' | 'ready' | 'insert' | 'update' | 'delete' | 'reset';
  readonly row: Row;
}

const RETRY_MS = 3_000;
/** Events within this time are handled together: one request may change thousands of rows. */
const GATHER_MS = 250;

/** Parses complete events at the start of a text. Returns the rest. */
export function parseEvents(text: string, onEvent: (event: FeedEvent, id: string | undefined) => void): string {
  const blocks = text.split('\n\n');
  for (const block of blocks.slice(0, -1)) {
    const lines = Object.fromEntries(
      block
        .split('\n')
        .filter((line) => /^\w+:/.test(line))
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]),
    );
    if (lines.event !== undefined)
      onEvent({ kind: lines.event as FeedEvent['kind'], row: parseExactly(lines.data ?? '{}') as Row }, lines.id);
  }
  return blocks.at(-1)!;
}

/** Follows a feed until the signal aborts. It resumes after a lost connection, and stops if there is no feed. */
export async function follow(url: string, onEvent: (event: FeedEvent) => void, signal: AbortSignal): Promise<void> {
  let last: string | undefined;
  while (!signal.aborted) {
    try {
      const headers = { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) };
      let rest = '';
      for await (const text of askTexts(url, { headers, signal, inBackground: true }))
        rest = parseEvents(rest + text, (event, id) => {
          last = id ?? last;
          onEvent(event);
        });
    } catch (error) {
      // A feed goes on after the next login.
      if (error instanceof ApiError && error.status !== 503 && !(error.status === 401 && isLoggedIn)) return;
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/**
 * Follows a feed while the component is mounted and the tab is visible; undefined follows nothing. Browsers allow few
 * connections to a host, and hidden tabs must not use them up.
 */
export function useFeed(url: string | undefined, onEvents: (events: readonly FeedEvent[]) => void): void {
  const report = useEffectEvent(onEvents);
  useEffect(() => {
    if (url === undefined) return;
    let stop: AbortController | undefined;
    let gathered: FeedEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const handle = () => {
      timer = undefined;
      report(gathered);
      gathered = [];
    };
    const onEvent = (event: FeedEvent) => {
      gathered.push(event);
      timer ??= setTimeout(handle, GATHER_MS);
    };
    const onVisibility = () => {
      stop?.abort();
      stop = document.hidden ? undefined : new AbortController();
      if (stop !== undefined) void follow(url, onEvent, stop.signal);
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      clearTimeout(timer);
      stop?.abort();
    };
  }, [url]);
}
