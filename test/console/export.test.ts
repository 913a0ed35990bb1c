/** Exported files: a workbook that other programs can read, and CSV without formulas. */
import { expect, test } from 'bun:test';
import { strFromU8, unzipSync } from 'fflate';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { writerFor } from '../../src/console/browser/export/formats.ts';
import { suggestMapping } from '../../src/console/browser/import/columns.ts';

const collection = declareCatalogue({
  collections: [
    {
      name: 'things',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'label', type: 'text', required: true },
        { name: 'day', type: 'date' },
        { name: 'active', type: 'boolean' },
      ],
    },
  ],
}).collections.get('things')!;
const columns = { collection, fields: collection.fields };

test('a workbook has numbers, dates and booleans as such, and escapes texts', async () => {
  const writer = writerFor('xlsx', columns);
  writer.add({ id: 7, label: 'a<b> & "c"\u0007', day: '2026-11-17', active: true });
  writer.add({ id: 8, label: '=1+1', day: '0044-03-15', active: null });
  const files = unzipSync(new Uint8Array(await (await writer.end()).arrayBuffer()));
  const sheet = strFromU8(files['xl/worksheets/sheet1.xml']!);
  expect(sheet).toContain('<c><v>7</v></c>');
  expect(sheet).toContain('a&lt;b&gt; &amp; &quot;c&quot;_x0007_');
  expect(sheet).toContain('<c s="1"><v>46343</v></c><c t="b"><v>1</v></c>');
  expect(sheet).toContain('>=1+1</t></is></c><c t="inlineStr"><is><t xml:space="preserve">0044-03-15</t>');
  expect(strFromU8(files['xl/workbook.xml']!)).toContain('name="Things"');
});

test('a text that a spreadsheet would run as a formula is marked in CSV', async () => {
  const writer = writerFor('csv', columns);
  writer.add({ id: -1, label: '=HYPERLINK("x")', day: null, active: false });
  expect(await (await writer.end()).text()).toBe('ID,Label,Day,Active\r\n-1,"\'=HYPERLINK(""x"")",,No\r\n');
});

test('the head of a translation names its language, and is the name of its field for an import', async () => {
  const fields = [
    { name: 'id', type: 'int4' },
    { name: 'note', type: 'text' },
    { name: 'note_de', type: 'text', translates: { field: 'note', language: 'de' } },
  ] as const;
  const notes = declareCatalogue({ collections: [{ name: 'notes', key: ['id'], fields }] }).collections.get('notes')!;
  const writer = writerFor('csv', { collection: notes, fields: notes.fields });
  const [head] = (await (await writer.end()).text()).split('\r\n');
  expect(head).toBe('ID,Note,Note (de)');
  expect(suggestMapping(notes, head!.split(','))).toEqual(notes.fields);
});
