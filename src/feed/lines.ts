/** The lines of a result, and the key at the beginning of each. */
import type { ReadResult } from '../engine/engine.ts';

/** Reads no faster than the caller. */
export async function* linesIn({ body }: ReadResult): AsyncGenerator<readonly string[]> {
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

export async function allLines(result: ReadResult): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const some of linesIn(result)) lines.push(...some);
  return lines;
}

function split(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

export interface KeyedRow {
  /** The key as a JSON object, under the names that the row has for it. */
  readonly key: string;
  readonly row: string;
}

const MEMBER = /[{,]"key \d+":("(?:[^"\\]|\\.)*"|[^,}]+)/y;

/** Splits a row into its key and the columns that follow. */
export function keyedRow(line: string, keyNames: readonly string[]): KeyedRow {
  MEMBER.lastIndex = 0;
  const members = keyNames.map((name) => `${JSON.stringify(name)}:${MEMBER.exec(line)![1]}`);
  return { key: `{${members.join(',')}}`, row: `{${line.slice(MEMBER.lastIndex + 1)}` };
}
