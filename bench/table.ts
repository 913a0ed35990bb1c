/** Formats outcomes as a Markdown table without empty columns. */
import { type Goal, isMet, type Outcome } from './outcome.ts';

interface Column {
  readonly title: string;
  readonly cell: (outcome: Outcome) => string;
}

const NOTHING = '–';

const COLUMNS: readonly Column[] = [
  { title: 'what', cell: ({ name }) => name },
  { title: 'goal', cell: ({ goal, unit }) => (goal === undefined ? NOTHING : goalInWords(goal, unit)) },
  { title: 'baseline', cell: ({ baseline, unit }) => (baseline === undefined ? NOTHING : figure(baseline, unit)) },
  { title: 'service', cell: ({ service, unit }) => figure(service, unit) },
  { title: 'ratio (spread)', cell: (outcome) => (outcome.baseline === undefined ? NOTHING : ratioInWords(outcome)) },
  { title: 'met', cell: (outcome) => (outcome.goal === undefined ? NOTHING : isMet(outcome) ? 'yes' : '**no**') },
  { title: 'by CPU time', cell: ({ byCpu }) => (Number.isFinite(byCpu) ? byCpu.toFixed(2) : NOTHING) },
];

/** Column titles for comparisons with other servers, which are not baselines. */
export const PEER_TITLES = { baseline: 'peer', 'ratio (spread)': 'service to peer (spread)' };

export function table(outcomes: readonly Outcome[], titles: Readonly<Record<string, string>> = {}): string {
  const shown = COLUMNS.filter(({ cell }) => outcomes.some((outcome) => cell(outcome) !== NOTHING));
  return [
    row(shown.map(({ title }) => titles[title] ?? title)),
    row(shown.map(() => '---')),
    ...outcomes.map((outcome) => row(shown.map(({ cell }) => cell(outcome)))),
  ].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Formats one outcome for the terminal. */
export function line(outcome: Outcome): string {
  return row(COLUMNS.map(({ cell }) => cell(outcome)));
}

export function goalInWords(goal: Goal, unit: string): string {
  switch (goal.kind) {
    case 'share':
      return `at least ${goal.atLeast}`;
    case 'times':
      return `under ${goal.under} times`;
    case 'bound':
      return `under ${goal.under} ${unit}`;
  }
}

function ratioInWords({ ratio, spread: [lowest, highest] }: Outcome): string {
  return `${ratio.toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
}

export function figure(value: number, unit: string): string {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  const rounded = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === 'requests/s' ? rounded : `${rounded} ${unit}`;
}
