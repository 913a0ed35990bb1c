/** The texts of the console: German says what English says. */
import { expect, test } from 'bun:test';
import * as texts from '../../src/console/browser/i18n/texts/index.ts';

type Pair = readonly [name: string, english: string, german: string];

function pairsIn(of: object, path = ''): readonly Pair[] {
  return Object.entries(of).flatMap(([name, each]): readonly Pair[] =>
    Array.isArray(each) ? [[`${path}${name}`, String(each[0]), String(each[1])]] : pairsIn(each, `${path}${name}.`),
  );
}

const argumentsIn = (text: string) => [...new Set([...text.matchAll(/\{(\w+)[|}]/g)].map(([, name]) => name))].sort();

test('every text has the same arguments in English and German', () => {
  const pairs = pairsIn(texts);
  expect(pairs.length).toBeGreaterThan(600);
  const differing = pairs.filter(([, english, german]) => `${argumentsIn(english)}` !== `${argumentsIn(german)}`);
  expect(differing).toEqual([]);
  expect(pairs.filter(([, english, german]) => (english === '') !== (german === ''))).toEqual([]);
});

test('forms for a number have a singular and a plural', () => {
  const isWrong = (text: string) => /[{}]/.test(text.replaceAll(/\{\w+(\|[^|{}]*\|[^|{}]*)?\}/g, ''));
  const wrong = pairsIn(texts).filter(([, ...both]) => both.some(isWrong));
  expect(wrong.map(([name]) => name)).toEqual(['settings.claimsHelp']);
});
