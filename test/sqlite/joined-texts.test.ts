import { expect, test } from 'bun:test';
import { Connection } from '../../src/engine/sqlite/connection/connection.ts';
import { joinTexts } from '../../src/engine/sqlite/functions/argument-groups.ts';

/** More than one function call takes. */
const MANY = Array.from({ length: 1_200 }, (_, index) => `'${index},'`);
const TEXTS = ["'{'", '5', '0.1', '1e21', '9223372036854775807', '-0.0', "'Röd 😀'", "''", "coalesce(null, 'null')"];

test.each([TEXTS, MANY])('an SQLite without concat() joins texts in the same way', (...texts) => {
  const connection = new Connection(':memory:', { create: true });
  const text = (joined: string) => connection.values(`select ${joined}`)[0]![0];
  expect(text(joinTexts(texts))).toBe(text(joinTexts(texts, { hasConcat: false })));
  connection.close();
});
