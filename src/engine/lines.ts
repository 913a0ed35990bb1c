/** Rows as lines of JSON, as of a position in the log of changes. */
import type { FairQueue } from '../base/fair-queue.ts';
import type { ReadPlan } from '../plan/types.ts';
import type { Engine } from './engine.ts';

export type Reader = Pick<Engine, 'read'>;

/** Queues reads, so that one caller neither exceeds the limits of the engine nor delays the reads of others. */
export function queuedReader(engine: Reader, queue: FairQueue, caller: string): Reader {
  return { read: (...request) => queue.run(caller, 1, async () => engine.read(...request)) };
}

/** Reads no faster than the caller. */
export async function* streamLines(reader: Reader, plan: ReadPlan, asOf: number): AsyncGenerator<readonly string[]> {
  const columns = plan.columns.map(({ name }) => name);
  const { body } = await reader.read(plan, { format: 'ndjson', stripNulls: false, columns }, undefined, asOf);
  if (typeof body === 'string') {
    yield split(body);
    return;
  }
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let part = await body.next(); part.done !== true; part = await body.next()) {
      const text = rest + decoder.decode(part.value, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      yield split(text.slice(0, end));
    }
  } finally {
    await body.return?.();
  }
}

function split(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

export async function readLines(reader: Reader, plan: ReadPlan, asOf: number): Promise<readonly string[]> {
  return (await readFirstLines(reader, plan, asOf, Number.POSITIVE_INFINITY)).lines;
}

/** All lines, or the first ones beyond a length. */
export async function readFirstLines(reader: Reader, plan: ReadPlan, asOf: number, length: number) {
  const lines: string[] = [];
  let read = 0;
  for await (const some of streamLines(reader, plan, asOf)) {
    if (read > length) return { lines, isComplete: false };
    for (const line of some) {
      lines.push(line);
      read += line.length;
    }
  }
  return { lines, isComplete: true };
}
