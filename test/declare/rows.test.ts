/** The row files of a declaration: JSON, NDJSON and CSV. Errors name the file and line of invalid rows. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_BAD_ROWS } from '../../src/base/limits/declaration.ts';
import type { CollectionDraft } from '../../src/collection/draft.ts';
import { BadRows, type RowBatch, readRows } from '../../src/declare/rows.ts';
import { declared } from '../support/processes/declarations.ts';
import { cleanUp, temporaryFolder } from '../support/processes/process.ts';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(cleanUp);

async function collectionWith(file: string, content: string): Promise<CollectionDraft> {
  writeFileSync(join(folder, file), content);
  const text = `collections:\n  a:\n    rows: ${file}\n    fields: { id: int4, name: text, size: int8, more: json }\n`;
  const { collections } = await declared(text, join(folder, 'collections.yaml'));
  return collections[0]!;
}

async function batchesOf(file: string, content: string): Promise<RowBatch[]> {
  return Array.fromAsync(readRows(await collectionWith(file, content)));
}

/** Reads the rows as objects with field names. */
async function rowsOf(file: string, content: string) {
  const batches = await batchesOf(file, content);
  return batches.flatMap(({ columns, rows }) =>
    rows.map(({ line, cells }) => [line, Object.fromEntries(columns.map((name, at) => [name, cells[at]]))] as const),
  );
}

test('a JSON array is read with every digit', async () => {
  expect(await rowsOf('a.json', '[\n{"id": 1, "size": 9007199254740993},\n{"id": 2, "more": {"x": [1]}}\n]\n')).toEqual(
    [
      [2, { id: 1, size: expect.objectContaining({ text: '9007199254740993' }) }],
      [3, { id: 2, more: { x: [1] } }],
    ],
  );
});

test('NDJSON is read as one object per line', async () => {
  expect(await rowsOf('a.ndjson', '{"id": 1, "name": null}\n\n{"id": 2}\n')).toEqual([
    [1, { id: 1, name: null }],
    [3, { id: 2 }],
  ]);
});

test('CSV cells are texts: an empty cell, NULL, and a quoted empty text differ', async () => {
  const [batch] = await batchesOf('a.csv', 'id;name;size\n1;"";\n2;NULL;7\n');
  expect(batch).toMatchObject({ columns: ['id', 'name', 'size'], format: 'csv', separator: ';' });
  expect(batch!.rows.map(({ line, cells }) => [line, cells])).toEqual([
    [2, ['1', '', undefined]],
    [3, ['2', null, '7']],
  ]);
});

test('rows with different columns start a new batch', async () => {
  const batches = await batchesOf('a.json', '[{"id":1},{"id":2},{"name":"x"},{"id":3}]');
  expect(batches.map(({ columns, rows }) => [columns, rows.length])).toEqual([
    [['id'], 2],
    [['name'], 1],
    [['id'], 1],
  ]);
});

test('a collection without a file has no rows', async () => {
  const { rows: _, ...without } = await collectionWith('a.csv', 'id\n1\n');
  expect(await Array.fromAsync(readRows(without))).toEqual([]);
});

describe('invalid rows', () => {
  const CASES: readonly (readonly [what: string, file: string, content: string, ...said: readonly string[]])[] = [
    [
      'unknown fields',
      'b.json',
      '[{"id": 1},\n{"nmae": "x"},\n{"id": 2, "sise": 3}]',
      'b.json:2: unknown field nmae (perhaps you meant name)',
      'b.json:3: unknown field sise (perhaps you meant size)',
    ],
    [
      'a value that is not an object',
      'c.ndjson',
      '{"id": 1}\n[2]\n{"id": \n',
      'c.ndjson:2: is not a JSON object',
      'c.ndjson:3: cannot be read as JSON',
    ],
    ['a row with too many cells', 'd.csv', 'id,name\n1,a,b\n', 'd.csv:2: has 3 cells, and the first line names 2'],
    ['a column that is there twice', 'e.csv', 'id,name,name\n1,a,b\n', 'e.csv:2: the field name is given twice'],
    ['an empty file', 'f.csv', '', 'f.csv: line 1: the file is empty: its first line names the columns'],
    ['JSON that breaks off', 'g.json', '[{"id": 1},\n', 'g.json: line 2: the JSON breaks off'],
  ];
  for (const [what, file, content, ...said] of CASES) {
    test(what, async () => {
      const problem = await batchesOf(file, content).then(
        () => 'nothing',
        (error: Error) => error.message,
      );
      for (const each of said) expect(problem).toContain(`${folder}/${each}`);
    });
  }

  test('are reported together with those that the database rejects, up to a limit', async () => {
    const collection = await collectionWith('h.json', `[{"id": 1},{"nmae": 1},{"id": 2}]`);
    const bad = new BadRows('h.json');
    const reading = (async () => {
      for await (const { rows } of readRows(collection, bad)) for (const { line } of rows) bad.add(line, 'too late');
    })();
    await expect(reading).rejects.toThrow(
      'h.json has 3 bad rows; nothing was stored\nh.json:1: unknown field nmae (perhaps you meant name)\nh.json:1: too late\nh.json:1: too late',
    );
    const many = JSON.stringify(Array.from({ length: 1000 }, () => ({ nmae: 1 })));
    await expect(batchesOf('i.json', many)).rejects.toThrow(`has ${MAX_BAD_ROWS} bad rows at least`);
  });
});
