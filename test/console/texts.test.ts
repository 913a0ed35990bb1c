/** The texts of the console: German says what English says. */
import { expect, test } from 'bun:test';
import english from '../../src/console/browser/i18n/english.json' with { type: 'json' };
import german from '../../src/console/browser/i18n/german.json' with { type: 'json' };

type Named = readonly [name: string, text: string];

function textsIn(of: object, path = ''): readonly Named[] {
  return Object.entries(of).flatMap(([name, each]): readonly Named[] =>
    typeof each === 'string' ? [[`${path}${name}`, each]] : textsIn(each, `${path}${name}.`),
  );
}

const TEXTS = [...textsIn(english), ...textsIn(german)];

const argumentsIn = (text: string) => [...new Set([...text.matchAll(/\{(\w+)[|}]/g)].map(([, name]) => name!))].sort();
const signatureOf = (name: string) => (/\((.*)\)$/.exec(name)?.[1] ?? '').split(', ').filter((each) => each !== '');

test('English and German have the same texts', () => {
  expect(textsIn(english).length).toBeGreaterThan(600);
  expect(textsIn(german).map(([name]) => name)).toEqual(textsIn(english).map(([name]) => name));
  expect(TEXTS.filter(([, text]) => text === '')).toEqual([]);
});

test('every text uses the arguments that its name lists', () => {
  const differing = TEXTS.filter(([name, text]) => {
    const names = signatureOf(name).map((each) => each.replace('#', ''));
    return `${argumentsIn(text)}` !== `${names.sort()}`;
  });
  expect(differing).toEqual([]);
});

test('forms for a number have a number, a singular and a plural', () => {
  const isWrong = (text: string) => /[{}]/.test(text.replaceAll(/\{\w+(\|[^|{}]*\|[^|{}]*)?\}/g, ''));
  const wrong = TEXTS.filter(([, text]) => isWrong(text)).map(([name]) => name);
  expect(wrong).toEqual(['settings.claimsHelp', 'settings.claimsHelp']);
  const isText = ([name, text]: Named) =>
    [...text.matchAll(/\{(\w+)\|/g)].some(([, counted]) => !signatureOf(name).includes(`#${counted}`));
  expect(TEXTS.filter(isText)).toEqual([]);
});
