/** Recorded PostgREST responses, and the comparison of our responses with them. */
import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { parseCsv } from './csv.ts';

export interface RecordedCase {
  readonly id: string;
  readonly area: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly expect: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

const folderOf = (name: string) => new URL(`../data/${name}/`, import.meta.url);

/**
 * Lists the recorded areas of a folder: `recorded` for the reference products, `recorded-shop` for a declared
 * catalogue.
 */
export function recordedAreas(folder = 'recorded'): string[] {
  return readdirSync(folderOf(folder))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length));
}

export function recordedCases(area: string, folder = 'recorded'): RecordedCase[] {
  return readFileSync(new URL(`${area}.jsonl`, folderOf(folder)), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedCase);
}

/** Describes the differences; the result is empty if the responses agree. */
export async function disagreements(recorded: RecordedCase, response: Response): Promise<string[]> {
  const { expect } = recorded;
  const body = await response.text();
  if (response.status !== expect.status)
    return [`status ${response.status}, recorded ${expect.status}: ${body.slice(0, 300)}`];
  if (expect.status >= 400) return compareCode(recorded, body);
  const differences: string[] = [];
  for (const name of ['content-range', 'location', 'preference-applied', 'content-type']) {
    const theirs = expect.headers[name];
    const ours = response.headers.get(name) ?? undefined;
    if (name === 'location' && theirs === undefined) continue;
    if (normalHeader(name, ours) !== normalHeader(name, theirs))
      differences.push(`${name}: ${ours}, recorded ${theirs}`);
  }
  if (!bodiesAgree(recorded, body))
    differences.push(`body ${body.slice(0, 300)}, recorded ${expect.body.slice(0, 300)}`);
  return differences;
}

function compareCode({ expect, method }: RecordedCase, body: string): string[] {
  if (method === 'HEAD') return [];
  const ours = (JSON.parse(body) as { code: string }).code;
  const theirs = (JSON.parse(expect.body) as { code: string }).code;
  return ours === theirs ? [] : [`code ${ours}, recorded ${theirs}`];
}

function normalHeader(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  if (name === 'preference-applied')
    return (
      value
        .split(',')
        .map((part) => part.trim())
        // The recorded server does not take this preference.
        .filter((part) => !part.startsWith('tx='))
        .sort()
        .join()
    );
  return name === 'content-type' ? value.replaceAll(' ', '').toLowerCase() : value;
}

function bodiesAgree({ method, path, expect }: RecordedCase, body: string): boolean {
  const type = expect.headers['content-type'] ?? '';
  if (expect.body === '' || body === '') return expect.body === body;
  // Embedded lists may come in any order, unless the request orders them.
  const embedded = [...path.matchAll(/[?&](?:\w+\.)*(\w+)\.order=/g)].map(([, name]) => name!);
  const order: Ordered = {
    outside: method === 'GET' || /[?&]order=/.test(path),
    inside: /\w\(/.test(path) ? (name) => embedded.includes(name) : () => true,
  };
  if (type.startsWith('text/csv')) return isDeepStrictEqual(normalCsv(body, order), normalCsv(expect.body, order));
  if (!type.includes('json')) return body === expect.body;
  return isDeepStrictEqual(normalJson(JSON.parse(body), order), normalJson(JSON.parse(expect.body), order));
}

interface Ordered {
  readonly outside: boolean;
  /** Whether the embedded list with this name is ordered. */
  readonly inside: (name: string) => boolean;
}

/** Normalizes CSV. A cell with embedded rows is compared as a list. */
function normalCsv(text: string, { inside }: Ordered): unknown {
  const [header = [], ...rows] = parseCsv(text);
  return [header, ...rows].map((row) =>
    row.map((cell, index) => {
      const isRows = typeof cell === 'string' && /^\[?\{"/.test(cell);
      return isRows ? normalJson(JSON.parse(cell), { outside: inside(header[index] ?? ''), inside }) : cell;
    }),
  );
}

/** Normalizes JSON. Averages agree to 9 decimals, and the rows of a write without an order may come in any order. */
function normalJson(value: unknown, { outside, inside }: Ordered): unknown {
  if (typeof value === 'number') return Math.round(value * 1e9) / 1e9;
  if (Array.isArray(value)) {
    const items = value.map((item) => normalJson(item, { outside: true, inside }));
    return outside ? items : items.sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([key, each]) => [key, normalJson(each, { outside: inside(key), inside })]),
  );
}
