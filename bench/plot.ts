/** Draws the outcomes as an SVG: a bar for each, a mark at its goal, and the spread of its rounds. */
import { isMet, type Outcome } from './outcome.ts';
import { figure } from './table.ts';

const WIDTH = 1000;
const LEFT = 450;
const RIGHT = 890;
const ROW = 24;
const BAR = 14;
/** The maximum bar length. Ratios of one or more meet every goal, so longer bars add no information. */
const LONGEST = 1.25;

const INK = '#1f2937';
const FAINT = '#6b7280';
const RULE = '#e5e7eb';
const MET = '#0d9488';
const MISSED = '#d97706';

interface Group {
  readonly title: string;
  readonly holds: (outcome: Outcome) => boolean;
}

const isRate = ({ goal }: Outcome) => goal?.kind === 'share';
/** The prefix of a case name. Names without it are cases with 77 products on SQLite. */
const PLACE = /^(PostgreSQL|a million): /;
const placeOf = ({ name }: Outcome) => PLACE.exec(name)?.[1];

const GROUPS: readonly Group[] = [
  {
    title: '77 products: rate to the baseline’s, longer is better',
    holds: (outcome) => isRate(outcome) && placeOf(outcome) === undefined,
  },
  {
    title: '77 products on PostgreSQL: rate to the baseline’s, longer is better',
    holds: (outcome) => isRate(outcome) && placeOf(outcome) === 'PostgreSQL',
  },
  {
    title: 'A million products: rate to the baseline’s, longer is better',
    holds: (outcome) => isRate(outcome) && placeOf(outcome) === 'a million',
  },
  {
    title: 'A million products: time and memory to what is allowed, shorter is better',
    holds: (outcome) => !isRate(outcome),
  },
];

export function plot(outcomes: readonly Outcome[], machine: string): string {
  const drawing: string[] = [];
  let y = 106;
  for (const { title, holds } of GROUPS) {
    const members = outcomes.filter((each) => each.goal !== undefined && holds(each));
    if (members.length === 0) continue;
    drawing.push(heading(title, y));
    y += 14;
    drawing.push(grid(y, members.length * ROW));
    for (const outcome of members) {
      drawing.push(bar(outcome, y + ROW / 2));
      y += ROW;
    }
    y += 36;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12.5" fill="${INK}">
<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${y - 1}" rx="10" fill="#ffffff" stroke="${RULE}"/>
<text x="24" y="34" font-size="17" font-weight="600">The service beside its baselines</text>
${lines(machine)}
${legend()}
${drawing.join('\n')}
</svg>
`;
}

/** Splits the text into two lines of similar length. */
function lines(machine: string): string {
  const middle = machine.indexOf('; ', machine.length / 2 - 10) + 1;
  return [machine.slice(0, middle), machine.slice(middle)]
    .map(
      (text, index) =>
        `<text x="24" y="${56 + index * 16}" font-size="11" fill="${FAINT}">${escaped(text.trim())}</text>`,
    )
    .join('');
}

function heading(title: string, y: number): string {
  return `<text x="24" y="${y}" font-weight="600">${escaped(title)}</text>`;
}

/** Draws a line at each quarter, with a stronger one at 1. */
function grid(top: number, height: number): string {
  return [0, 0.25, 0.5, 0.75, 1]
    .map((ratio) => {
      const label = `<text x="${at(ratio)}" y="${top + height + 13}" font-size="10" fill="${FAINT}" text-anchor="middle">${ratio}</text>`;
      return vertical(at(ratio), top, height, ratio === 1 ? '#9ca3af' : RULE, 1) + label;
    })
    .join('');
}

function bar(outcome: Outcome, middle: number): string {
  const { goal, name, spread } = outcome;
  const scale = goal?.kind === 'times' ? 1 / goal.under : 1;
  const [from, to] = [at(spread[0] * scale), at(spread[1] * scale)];
  const end = Math.max(LEFT + 2, at(outcome.ratio * scale));
  const mark = at(goal?.kind === 'share' ? goal.atLeast : 1);
  const colour = isMet(outcome) ? MET : MISSED;
  const label = escaped(name.replace(PLACE, ''));
  return `<text x="${LEFT - 12}" y="${middle + 4}" text-anchor="end">${label}</text>
<path d="M${LEFT} ${middle - BAR / 2}H${end - 2}q2 0 2 2v${BAR - 4}q0 2 -2 2H${LEFT}z" fill="${colour}"/>
<path d="M${from} ${middle}H${to}" stroke="${INK}" stroke-opacity="0.55" stroke-width="1.5"/>
${vertical(mark, middle - BAR / 2 - 3, BAR + 6, INK, 2)}
<text x="${RIGHT + 12}" y="${middle + 4}" font-weight="600" fill="${isMet(outcome) ? INK : '#b45309'}">${escaped(said(outcome))}</text>`;
}

/** Formats the ratio to the baseline, or the value itself for a bound. */
function said({ goal, ratio, service, unit }: Outcome): string {
  if (goal?.kind === 'bound') return figure(service, unit);
  return goal?.kind === 'times' ? `${ratio.toFixed(1)} times` : ratio.toFixed(2);
}

function legend(): string {
  const [y, x] = [33, 690];
  return `<rect x="${x}" y="${y - 9}" width="18" height="10" rx="2" fill="${MET}"/><text x="${x + 24}" y="${y}">met</text>
<rect x="${x + 64}" y="${y - 9}" width="18" height="10" rx="2" fill="${MISSED}"/><text x="${x + 88}" y="${y}">not met</text>
${vertical(x + 158, y - 11, 14, INK, 2)}<text x="${x + 166}" y="${y}">goal</text>
<path d="M${x + 212} ${y - 4}h18" stroke="${INK}" stroke-opacity="0.55" stroke-width="1.5"/><text x="${x + 236}" y="${y}">spread</text>`;
}

function at(ratio: number): number {
  return Math.round(LEFT + (Math.min(ratio, LONGEST) / LONGEST) * (RIGHT - LEFT));
}

function vertical(x: number, top: number, height: number, colour: string, width: number): string {
  return `<path d="M${x} ${top}v${height}" stroke="${colour}" stroke-width="${width}"/>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
