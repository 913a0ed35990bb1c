/** The console of a declared catalogue: every collection with a key of one field, of any type. */
import { expect, test } from 'bun:test';
import { browserStories } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

const DECLARED = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

browserStories(
  'a declared catalogue',
  (stage) => {
    test('the menu links each collection, and names those without pages', async () => {
      await stage.open('/categories');
      await stage.until('Beverages');
      await stage.until(
        'Not shown, because their keys are not a single field or their names need quotes: product_labels, prices',
      );
      await stage.page.getByRole('menuitem', { name: 'Suppliers' }).click();
      await stage.until('Exotic Liquids');
      expect(new URL(stage.page.url()).search).toBe('?collection=suppliers');
    });

    test('a row with a uuid key can be changed in its form', async () => {
      const [row] = await stage.ask<{ id: string; label: string }[]>('/labels?order=label&limit=1');
      await stage.page.goto(`${stage.service.url}/console?collection=labels#/labels/${row!.id}`);
      await stage.page.getByRole('textbox', { name: 'Label' }).fill('changed label');
      await stage.page.getByRole('button', { name: 'Save' }).click();
      await until('the row to be stored', async () => {
        const { label } = await stage.ask<Record<string, unknown>>(`/labels/${row!.id}`);
        return label === 'changed label';
      });
      expect(await stage.ask<unknown>(`/labels/${row!.id}`)).toEqual({ ...row, label: 'changed label' });
    });

    test('json and dates can be changed in the form, and untouched fields keep their values', async () => {
      const before = await stage.ask<Record<string, unknown>>('/suppliers/1');
      await stage.page.goto(`${stage.service.url}/console?collection=suppliers#/suppliers/1`);
      await stage.page.getByRole('textbox', { name: 'Contact' }).fill('{"name": "Charlotte", "langs": ["en"]}');
      await stage.page.getByRole('textbox', { name: 'Since' }).fill('2020-02-29');
      await stage.page.getByRole('button', { name: 'Save' }).click();
      await until('the row to be stored', async () => {
        const { since } = await stage.ask<Record<string, unknown>>('/suppliers/1');
        return since === '2020-02-29';
      });
      expect(await stage.ask<unknown>('/suppliers/1')).toEqual({
        ...before,
        contact: { name: 'Charlotte', langs: ['en'] },
        since: '2020-02-29',
      });
    });
  },
  () => ({ args: ['--collections', DECLARED] }),
  { areApart: true },
);
