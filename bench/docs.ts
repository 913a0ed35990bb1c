/** Writes the results of a run into the docs, between their markers, and the plot next to them. */
import { machine } from './machine.ts';
import type { Outcome } from './outcome.ts';
import { plot } from './plot.ts';
import { PEER_TITLES, table } from './table.ts';

const DOCS = new URL('../docs/', import.meta.url);

export async function writeGoals(outcomes: readonly Outcome[]): Promise<void> {
  await Bun.write(new URL('img/performance.svg', DOCS), plot(outcomes, await machine()));
  await replaceBetween('figures', `${await provenance('npm run bench -- --write')}\n\n${table(outcomes)}`);
}

export async function writePeers(outcomes: readonly Outcome[]): Promise<void> {
  const text = table(outcomes, PEER_TITLES);
  await replaceBetween('peers', `${await provenance('npm run bench -- --peers --write')}\n\n${text}`);
}

export async function writeAbuse(text: string): Promise<void> {
  await replaceBetween(
    'abuse',
    `${await provenance('npm run bench:abuse -- --write')}\n\n${text}`,
    'internals/load-tests.md',
  );
}

export async function writeDrills(text: string): Promise<void> {
  await replaceBetween(
    'drills',
    `${await provenance('WRITE=1 npm run test:failover', false)}\n\n${text}`,
    'internals/failover.md',
  );
}

async function provenance(command: string, isPinned?: boolean): Promise<string> {
  return `Made by \`${command}\` on:\n${(await machine(isPinned)).replaceAll('; ', ';\n')}.`;
}

async function replaceBetween(name: string, text: string, file = 'reference/performance.md'): Promise<void> {
  const page = new URL(file, DOCS);
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const before = await Bun.file(page).text();
  const [start, stop] = [before.indexOf(begin), before.indexOf(end)];
  if (start < 0 || stop < start) throw new Error(`docs/${file} has no ${begin} … ${end}`);
  await Bun.write(page, `${before.slice(0, start + begin.length)}\n\n${text}\n\n${before.slice(stop)}`);
}
