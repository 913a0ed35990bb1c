/**
 * Checks the pages of the declaration: their tables match the format, their examples are valid, and their mistakes give
 * the documented errors.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ACTION,
  ACTION_ENTRY,
  ACTION_PARAMETER,
  COLLECTION,
  COMPUTED,
  FIELD,
  FUNCTION,
  FUNCTION_PARAMETER,
  LINK,
  PARAMETER,
  QUERY,
  REFERENCE,
  RESULT,
  RIGHTS,
  ROLE,
  RULE,
  SEARCH,
  TOP,
  WEBHOOK,
} from '../../src/declare/format.ts';
import type { Properties } from '../../src/declare/reader/shape.ts';
import { declared, withFields } from '../support/processes/declarations.ts';
import { cleanUp, temporaryFolder } from '../support/processes/process.ts';

afterAll(cleanUp);
const PAGE = ['collections', 'fields', 'roles', 'functions', 'actions', 'computed-fields', 'webhooks', 'search']
  .map((name) => readFileSync(new URL(`../../docs/reference/${name}.md`, import.meta.url), 'utf8'))
  .join('\n');

interface Block {
  readonly language: string;
  /** `fields`: lines of fields. `mistakes`: an invalid example whose errors are in the next block. `roles`: rows. */
  readonly kind: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = [...PAGE.matchAll(/^```(\w*) ?(\w*)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', kind = '', text = '']) => ({ language, kind, text }),
);

const TABLES: Readonly<Record<string, Properties>> = {
  TOP,
  COLLECTION,
  LINK,
  FIELD,
  REFERENCE,
  ROLE,
  RIGHTS,
  RULE,
  QUERY,
  PARAMETER,
  ACTION,
  ACTION_PARAMETER,
  ACTION_ENTRY,
  FUNCTION,
  FUNCTION_PARAMETER,
  RESULT,
  COMPUTED,
  WEBHOOK,
  SEARCH,
};

for (const [name, table] of Object.entries(TABLES)) {
  test(`the documented keys of ${name} match the format, in the same order`, () => {
    const rows = Object.entries(table).map(([key, { shape, about }]) => `| \`${key}\` | ${shape.words} | ${about} |`);
    expect(PAGE).toContain(`| key | value | meaning |\n|---|---|---|\n${rows.join('\n')}\n\n`);
  });
}

test('every key has an example', () => {
  const examples = BLOCKS.filter(({ language }) => language === 'yaml').map(({ text }) => text);
  const keys = Object.values(TABLES).flatMap((table) => Object.keys(table));
  const isShown = (key: string) => examples.some((text) => text.includes(`${key}: `) || text.includes(`${key}:\n`));
  expect(keys.filter((key) => key !== '$schema' && !isShown(key))).toEqual([]);
});

describe('examples', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'prices.csv'), 'product_id,currency,amount\n1,EUR,18\n');
  for (const [at, { language, kind, text }] of BLOCKS.entries()) {
    if ((language !== 'yaml' && language !== 'json') || kind === 'mistakes') continue;
    if (language === 'json' && kind !== '') continue;
    test(`${at}: ${text.split('\n').find((line) => line.includes(': '))}`, async () => {
      const whole = kind === 'fields' ? withFields('id: int4', ...text.trimEnd().split('\n')) : text;
      const { collections } = await declared(whole, join(folder, `collections.${language}`));
      expect(collections.length).toBeGreaterThan(0);
    });
  }
});

test('mistakes are reported as the page says', async () => {
  const at = BLOCKS.findIndex(({ kind }) => kind === 'mistakes');
  const message = declared(BLOCKS[at]!.text).then(
    () => 'none',
    (error: Error) => error.message,
  );
  expect(`catalogue: ${await message}\n`).toBe(BLOCKS[at + 1]!.text);
});
