/** What was measured, as a table for people and a plot of the ratios. */
import { arch, cpus } from 'node:os';
import manifest from '../package.json' with { type: 'json' };

export interface Result {
  readonly name: string;
  readonly goal: number;
  readonly base: number;
  readonly ours: number;
  readonly ratio: number;
  /** The lowest and the highest of the rounds' ratios. */
  readonly spread: readonly [number, number];
}

export function summarise(name: string, goal: number, base: readonly number[], ours: readonly number[]): Result {
  const ratios = base.map((each, round) => ours[round]! / each).sort((one, other) => one - other);
  const result = {
    name,
    goal,
    base: median(base),
    ours: median(ours),
    ratio: median(ratios),
    spread: [ratios[0]!, ratios.at(-1)!] as const,
  };
  console.error(line(result));
  return result;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)]!;
}

function line({ name, goal, base, ours, ratio, spread }: Result): string {
  const figures = [base, ours].map((each) => (each < 100 ? each.toFixed(1) : Math.round(each).toLocaleString('en')));
  const met = ratio >= goal ? 'yes' : 'no';
  return `| ${name} | ${figures[0]} | ${figures[1]} | ${ratio.toFixed(2)} (${spread[0].toFixed(2)} to ${spread[1].toFixed(2)}) | ${goal} | ${met} |`;
}

export async function writeReport(results: readonly Result[], write: boolean): Promise<void> {
  const table = [
    '| what | baseline | service | ratio (spread) | goal | met |',
    '|---|---|---|---|---|---|',
    ...results.map(line),
  ].join('\n');
  console.log(table);
  if (!write) return;
  const docs = new URL('../docs/', import.meta.url);
  const machine = `${cpus()[0]?.model.trim() || arch()}, ${cpus().length} cores, ${arch()}, Bun ${Bun.version}, version ${manifest.version}`;
  const page = await Bun.file(new URL('performance.md', docs)).text();
  const begin = '<!-- figures -->';
  const end = '<!-- end of figures -->';
  const head = page.slice(0, page.indexOf(begin) + begin.length);
  const tail = page.slice(page.indexOf(end));
  await Bun.write(new URL('performance.md', docs), `${head}\n\nMachine: ${machine}.\n\n${table}\n\n${tail}`);
  await Bun.write(new URL('performance.svg', docs), plot(results));
}

/** One bar a case, as long as its ratio; the mark is its goal. */
function plot(results: readonly Result[]): string {
  const row = 26;
  const left = 520;
  const unit = 260;
  const height = results.length * row + 30;
  const bars = results.map(({ name, ratio, goal }, index) => {
    const y = 10 + index * row;
    const width = Math.min(ratio, 1.6) * unit;
    const label = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<text x="${left - 8}" y="${y + 14}" text-anchor="end">${label}</text>
<rect x="${left}" y="${y}" width="${width.toFixed(0)}" height="18" fill="${ratio >= goal ? '#2a7' : '#c73'}"/>
<line x1="${left + goal * unit}" x2="${left + goal * unit}" y1="${y - 2}" y2="${y + 20}" stroke="#333"/>
<text x="${left + width + 6}" y="${y + 14}">${ratio.toFixed(2)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + unit * 1.6 + 60}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="white"/>
${bars.join('\n')}
</svg>
`;
}
