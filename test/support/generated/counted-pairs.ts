/** Counts equal pairs of answers by engine and kind. A long run prints them: refused requests alone prove little. */
import { afterAll } from 'bun:test';
import type { RoleRequest } from './role-requests.ts';
import { RUNS } from './runs.ts';

export class CountedPairs {
  private readonly counts = new Map<string, { successful: number; refused: number }>();

  constructor() {
    afterAll(() => {
      if (RUNS > 1) this.print();
    });
  }

  add(engine: string, kind: string, isSuccessful = true): void {
    const key = `${engine}: ${kind}`;
    const counted = this.counts.get(key) ?? { successful: 0, refused: 0 };
    counted[isSuccessful ? 'successful' : 'refused']++;
    this.counts.set(key, counted);
  }

  hasSuccessful(engine: string, kind: string): boolean {
    return (this.counts.get(`${engine}: ${kind}`)?.successful ?? 0) > 0;
  }

  private print(): void {
    const counts = [...this.counts].sort(([one], [other]) => (one < other ? -1 : 1));
    const total = counts.reduce((sum, [, { successful, refused }]) => sum + successful + refused, 0);
    console.log(`${total} pairs of answers were equal (successful + refused):`);
    for (const [key, { successful, refused }] of counts) console.log(`  ${key}: ${successful} + ${refused}`);
  }
}

const KINDS: Readonly<Record<string, string>> = { changes: 'log', files: 'files', rpc: 'call', batch: 'batch' };

export function kindOf({ path, init: { method = 'GET', headers = {} } }: RoleRequest): string {
  const { prefer = '', accept = '' } = headers as Record<string, string>;
  const kind = KINDS[/^\/(\w*)/.exec(path)![1]!];
  if (kind !== undefined) return kind;
  if (prefer.includes('as-of')) return 'earlier rows';
  if (accept.includes('facets')) return 'facets';
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}
