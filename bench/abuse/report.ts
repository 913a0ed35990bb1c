/** The effect of the attacks on other clients, as a Markdown table. */
import { figure } from '../table.ts';
import type { Found, Kind } from './probe.ts';

export interface Noticed {
  readonly attack: string;
  readonly engine: string;
  readonly found: Found;
  /** The memory of the service in megabytes: the peak during the attack, and the value some seconds after it. */
  readonly peak: number;
  readonly after: number;
  readonly goals: Goals;
  /** Why the attack succeeded, apart from delays. */
  readonly problem: string | undefined;
}

/** The highest values that meet the goals: milliseconds by kind of request, and megabytes. */
export interface Goals {
  readonly delays: Readonly<Partial<Record<Kind, number>>>;
  readonly peak: number;
  readonly after: number;
}

/** For an otherwise idle machine. */
export const PRODUCTS_GOALS: Goals = { delays: { read: 100, write: 1_000 }, peak: 1_000, after: 150 };
export const PRODUCTS_GOALS_IN_WORDS =
  'no read over 100 ms, no write over 1 s, memory under 1000 MB, and 150 MB afterwards';

const SHOP_DELAY_MS = 100;
export const SHOP_GOALS_IN_WORDS = `no request delayed by more than ${SHOP_DELAY_MS} ms beyond “nothing” of the same run, memory under 1000 MB`;

/** The goals of the shop follow from the delays of the same run without an attack. */
export function goalsBeyond(baseline: Found): Goals {
  const delays = Object.entries(baseline).map(([kind, { worst }]) => [kind, worst + SHOP_DELAY_MS]);
  return { delays: Object.fromEntries(delays), peak: 1_000, after: Number.POSITIVE_INFINITY };
}

function cells({ found, peak, after, goals, problem }: Noticed): readonly (readonly [column: string, cell: string])[] {
  const kinds = Object.entries(found) as [Kind, NonNullable<Found[Kind]>][];
  const sum = (of: 'failed' | 'answered') => kinds.reduce((total, [, delays]) => total + delays[of], 0);
  const failed = `${sum('failed')} of ${sum('failed') + sum('answered')}`;
  return [
    ...kinds.map(([kind, { worst }]) => [`worst ${kind}`, marked(worst, goals.delays[kind], 'ms')] as const),
    ['memory', marked(peak, goals.peak, 'MB')],
    ['afterwards', marked(after, goals.after, 'MB')],
    ['failed', problem === undefined ? failed : `${failed}, **${problem}**`],
  ];
}

function marked(value: number, goal = Number.POSITIVE_INFINITY, unit = ''): string {
  return value > goal ? `**${figure(value, unit)}**` : figure(value, unit);
}

export function line(noticed: Noticed): string {
  const figures = cells(noticed).map(([column, cell]) => `${column} ${cell}`);
  return `${noticed.engine}: ${noticed.attack}: ${figures.join(', ')}`;
}

/** Formats one row per attack, with the engines next to each other. */
export function table(all: readonly Noticed[]): string {
  const engines = [...new Set(all.map(({ engine }) => engine))];
  const attacks = [...new Set(all.map(({ attack }) => attack))];
  const columns = cells(all[0]!).map(([column]) => column);
  const titles = engines.flatMap((engine) => columns.map((column) => `${engine}: ${column}`));
  const rows = attacks.map((attack) => {
    const figures = engines.flatMap((engine) => {
      const noticed = all.find((each) => each.attack === attack && each.engine === engine);
      return noticed === undefined ? columns.map(() => '–') : cells(noticed).map(([, cell]) => cell);
    });
    return [attack, ...figures];
  });
  return [['attack', ...titles], ['attack', ...titles].map(() => '---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
