/** The evaluation of benchmark results; the measurements themselves are not tested. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { isMet, type Outcome, summarise } from '../../bench/outcome.ts';
import { plot } from '../../bench/plot.ts';
import { judge } from '../../bench/soak/memory.ts';
import { table } from '../../bench/table.ts';

const rate = summarise({
  name: 'a rate',
  unit: 'requests/s',
  goal: { kind: 'share', atLeast: 0.85 },
  baseline: [100, 200, 100],
  service: [80, 180, 90],
  cpu: { baseline: [10, 10, 10], service: [20, 20, 20] },
});
const time = summarise({
  name: 'a time',
  unit: 'ms',
  goal: { kind: 'times', under: 3 },
  baseline: [10, 10, 10],
  service: [31, 30, 29],
});
const bound = summarise({ name: 'a bound', unit: 'MB', goal: { kind: 'bound', under: 64 }, service: [63] });

test('a ratio is the median of its rounds, and the spread is their lowest and highest ratio', () => {
  expect([rate.ratio, rate.spread, rate.byCpu]).toEqual([0.9, [0.8, 0.9], 0.5]);
});

test('a rate must reach its goal; a time and a bound must stay below theirs', () => {
  expect([rate, time, bound].map(isMet)).toEqual([true, false, true]);
});

test('the table shows the measurement of each case and whether it meets the goal', () => {
  expect(table([rate, time, bound]).split('\n').slice(2)).toEqual([
    '| a rate | at least 0.85 | 100 | 90.0 | 0.90 (0.80 to 0.90) | yes | 0.50 |',
    '| a time | under 3 times | 10.0 ms | 30.0 ms | 3.00 (2.90 to 3.10) | **no** | – |',
    '| a bound | under 64 MB | – | 63.0 MB | – | yes | – |',
  ]);
});

test('the plot has a bar for each case, and escapes names', () => {
  const cases: Outcome[] = [rate, time, bound, { ...rate, name: 'order=a&limit<5' }];
  const labels = [...plot(cases, 'a machine; another').matchAll(/text-anchor="end">([^<]+)</g)].map(([, text]) => text);
  expect(labels.sort()).toEqual(['a bound', 'a rate', 'a time', 'order=a&amp;limit&lt;5']);
});

test('memory that keeps growing is not flat, and memory that fluctuates is', () => {
  const samples = (megabytes: (second: number) => number) =>
    Array.from({ length: 600 }, (_, second) => ({ second: second + 1, megabytes: megabytes(second) }));
  expect(judge(samples((second) => 100 + second / 20)).isFlat).toBe(false);
  expect(judge(samples((second) => 100 + 30 * Math.sin(second / 7))).isFlat).toBe(true);
  // Growth during the first minute is ignored.
  expect(judge(samples((second) => 100 + Math.min(second, 60))).isFlat).toBe(true);
});

test('the pages have the markers that a run with --write fills', () => {
  const places = { 'performance.md': ['figures', 'peers', 'abuse'], 'operations.md': ['drills'] };
  for (const [page, names] of Object.entries(places)) {
    const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
    for (const name of names) expect(text).toMatch(new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- end of ${name} -->`));
  }
});
