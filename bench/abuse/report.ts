/** The effect of the attacks on other clients, as a Markdown table. */
import { figure } from '../table.ts';
import type { Found } from './probe.ts';

export interface Noticed extends Found {
  readonly attack: string;
  readonly engine: string;
  /** The memory of the service in megabytes: the peak during the attack, and the value some seconds after it. */
  readonly peak: number;
  readonly after: number;
}

/** Goals for an otherwise idle machine. */
const GOALS = { readMs: 100, writeMs: 1_000, peakMegabytes: 1_000, afterMegabytes: 150 } as const;

export const GOALS_IN_WORDS = `no read over ${GOALS.readMs} ms, no write over ${GOALS.writeMs / 1000} s, memory under ${GOALS.peakMegabytes} MB, and ${GOALS.afterMegabytes} MB afterwards`;

const COLUMNS = ['worst read', 'worst write', 'memory', 'afterwards', 'failed'] as const;

function cells({ reads, writes, peak, after }: Noticed): readonly string[] {
  return [
    marked(reads.worst, GOALS.readMs, 'ms'),
    marked(writes.worst, GOALS.writeMs, 'ms'),
    marked(peak, GOALS.peakMegabytes, 'MB'),
    marked(after, GOALS.afterMegabytes, 'MB'),
    `${reads.failed + writes.failed} of ${reads.failed + reads.answered + writes.failed + writes.answered}`,
  ];
}

function marked(value: number, goal: number, unit: string): string {
  return value > goal ? `**${figure(value, unit)}**` : figure(value, unit);
}

export function line(noticed: Noticed): string {
  return `${noticed.engine}: ${noticed.attack}: ${cells(noticed)
    .map((cell, index) => `${COLUMNS[index]} ${cell}`)
    .join(', ')}`;
}

/** Formats one row per attack, with the engines next to each other. */
export function table(all: readonly Noticed[]): string {
  const engines = [...new Set(all.map(({ engine }) => engine))];
  const attacks = [...new Set(all.map(({ attack }) => attack))];
  const titles = engines.flatMap((engine) => COLUMNS.map((column) => `${engine}: ${column}`));
  const rows = attacks.map((attack) => {
    const found = engines.flatMap((engine) => {
      const noticed = all.find((each) => each.attack === attack && each.engine === engine);
      return noticed === undefined ? COLUMNS.map(() => '–') : cells(noticed);
    });
    return [attack, ...found];
  });
  return [['attack', ...titles], ['attack', ...titles].map(() => '---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
