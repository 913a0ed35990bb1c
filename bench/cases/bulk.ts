/**
 * A POST of 10,000 products into a million, compared with a bare loop: JSON.parse, one prepared insert, one
 * transaction.
 */
import type { Case } from '../case.ts';
import { generateObjects } from '../generate.ts';
import { summarise } from '../outcome.ts';
import { cpuSeconds } from '../readings.ts';
import { type Server, startBareLoops, startService } from '../servers.ts';

const ROWS = 10_000;
const REQUESTS_A_ROUND = 3;

const rows = [...generateObjects(ROWS)].map(({ id: _, ...row }) => row);
const JSON_BODY = JSON.stringify(rows);
const BODIES = {
  JSON: { type: 'application/json', body: JSON_BODY },
  CSV: { type: 'text/csv', body: csv() },
} as const;

/** Formats the rows as CSV. None of their texts needs quotes. */
function csv(): string {
  const lines = rows.map((row) =>
    Object.values(row)
      .map((value) => value ?? '')
      .join(),
  );
  return `${[Object.keys(rows[0]!).join(), ...lines].join('\n')}\n`;
}

export const bulkCases: readonly Case[] = (['JSON', 'CSV'] as const).map((format) => ({
  name: `a million: POST of 10,000 rows as ${format}, beside a bare insert loop`,
  async run(fixtures, { rounds }) {
    const loops = await startBareLoops(await fixtures.copyOfMillion(`bare-${format}.db`));
    const service = await startService(await fixtures.copyOfMillion(`bulk-${format}.db`));
    const base: Round[] = [];
    const ours: Round[] = [];
    for (let round = -1; round < rounds; round++) {
      const [one, other] = [await inserted(loops), await posted(service, BODIES[format])];
      // The first round is the warm-up.
      if (round < 0) continue;
      base.push(one);
      ours.push(other);
    }
    await loops.stop();
    await service.stop();
    return summarise({
      name: this.name,
      unit: 'rows/s',
      goal: { kind: 'share', atLeast: 0.5 },
      baseline: base.map((each) => each.rowsPerSecond),
      service: ours.map((each) => each.rowsPerSecond),
      cpu: { baseline: base.map((each) => each.cpu), service: ours.map((each) => each.cpu) },
    });
  },
}));

interface Round {
  readonly rowsPerSecond: number;
  readonly cpu: number;
}

async function aRound(server: Server, request: () => Promise<number>): Promise<Round> {
  const before = await cpuSeconds(server.pid);
  let milliseconds = 0;
  for (let repeat = 0; repeat < REQUESTS_A_ROUND; repeat++) milliseconds += await request();
  return {
    rowsPerSecond: (ROWS * REQUESTS_A_ROUND * 1000) / milliseconds,
    cpu: (await cpuSeconds(server.pid)) - before,
  };
}

function inserted(loops: Server): Promise<Round> {
  return aRound(loops, async () => {
    const response = await fetch(`${loops.url}/insert`, { method: 'POST', body: JSON_BODY });
    return ((await response.json()) as { milliseconds: number }).milliseconds;
  });
}

function posted(service: Server, { type, body }: { readonly type: string; readonly body: string }): Promise<Round> {
  return aRound(service, async () => {
    const started = performance.now();
    const response = await fetch(`${service.url}/products`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
    return performance.now() - started;
  });
}
