/** The texts of the console: German has every text that English has. */
import { expect, test } from 'bun:test';
import * as de from '../../src/console/browser/i18n/de.ts';
import * as en from '../../src/console/browser/i18n/en.ts';

function namesIn(texts: object, prefix = ''): readonly string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'object' ? namesIn(text, `${prefix}${name}.`) : [`${prefix}${name}`],
  );
}

test('English and German have the same texts', () => {
  expect(namesIn(de)).toEqual(namesIn(en));
});
