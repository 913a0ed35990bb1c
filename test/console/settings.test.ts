/** The form of a field becomes a merge patch of the declaration. */
import { expect, test } from 'bun:test';
import { changedLines } from '../../src/console/browser/settings/changed-lines.ts';
import { findPart } from '../../src/console/browser/settings/declared-text.tsx';
import { expressionProblem, fieldPatch, formOf } from '../../src/console/browser/settings/field-patch.ts';

test('a new field has the properties that the form gives, with values of its type', () => {
  const form = { ...formOf(), title: ' Price ', required: 'true', minimum: '0', default: '12.50', oneOf: '12.50, 20' };
  expect(fieldPatch('decimal(12,2)', form)).toEqual({
    type: 'decimal(12,2)',
    title: 'Price',
    required: true,
    minimum: 0,
    default: 12.5,
    oneOf: [12.5, 20],
  });
  expect(fieldPatch('text', { ...formOf(), maxLength: '20', oneOf: '1, no' })).toEqual({
    type: 'text',
    maxLength: 20,
    oneOf: ['1', 'no'],
  });
});

test('a number with many digits stays a text, which keeps its digits', () => {
  expect(fieldPatch('int8', { ...formOf(), maximum: '9007199254740993' })).toMatchObject({
    maximum: '9007199254740993',
  });
});

test('a change has only the changed properties, and removes those that are empty', () => {
  const before = formOf({ name: 'colour', type: 'text', title: 'Colour', required: true, oneOf: ['red', 'blue'] });
  expect(before).toMatchObject({ title: 'Colour', required: 'true', unique: '', oneOf: 'red, blue' });
  const form = { ...before, title: 'Color', required: '', pattern: '^[a-z]+$' };
  expect(fieldPatch('text', form, before)).toEqual({
    type: 'text',
    title: 'Color',
    required: null,
    pattern: '^[a-z]+$',
  });
});

test('a reference changes together with the effect of a delete, and translations are a list of languages', () => {
  const maker = { name: 'maker', type: 'int4', references: { collection: 'makers', onDelete: 'restrict' } } as const;
  const before = formOf(maker);
  expect(fieldPatch('int4', { ...before, onDelete: 'cascade' }, before)).toEqual({
    type: 'int4',
    references: { collection: 'makers', onDelete: 'cascade' },
  });
  const name = { name: 'name', type: 'text' };
  const translated = { name: 'name_de', type: 'text', translates: { field: 'name', language: 'de' } };
  const form = formOf(name, { name: 'products', key: ['id'], fields: [name, translated] });
  expect(form.translations).toBe('de');
  expect(fieldPatch('text', { ...form, translations: 'de, fr' }, form)).toEqual({
    type: 'text',
    translations: ['de', 'fr'],
  });
});

test('the text of a role is that of the member, not of a field with its name', () => {
  const lines = `collections:
  people:
    fields:
      roles: text
roles:
  clerk:
    people: { read: { where: 'or=(roles.eq.a,roles.eq.b)' } }
  other: all`.split('\n');
  expect(findPart(lines, ['roles', 'clerk'])).toEqual({ first: 5, lines: lines.slice(5, 7) });
  expect(findPart(lines, ['roles', 'fields'])).toBeUndefined();
});

test('the mistake of an expression has its column', () => {
  const fields = [{ name: 'price', type: 'int4' }];
  expect(expressionProblem('int4', 'price * 2', fields)).toBeUndefined();
  expect(expressionProblem('int4', '2 * pric', fields)).toMatch(/^Column 5: .*pric/);
});

test('the preview of a change has its lines, also if it removes one that stands elsewhere', () => {
  const text = 'a:\n  read: true\nb:\n  read: true\nc: 1\n';
  expect(changedLines(text, text)).toEqual({ removed: [], added: [] });
  expect(changedLines(text, text.replace('c: 1', 'c: 2'))).toEqual({ removed: ['c: 1'], added: ['c: 2'] });
  expect(changedLines(text, 'a:\nb:\n  read: true\nc: 1\n')).toEqual({ removed: ['  read: true'], added: [] });
  const both = 'z:\n  read: true\nb:\n  read: true\nc: 1\nd: 2\n';
  expect(changedLines(text, both)).toEqual({ removed: ['a:'], added: ['z:', 'd: 2'] });
});

test('the preview of a change has a line that moves', () => {
  const swapped = 'a:\n  hidden: true\nb:\n  read: true\n';
  expect(changedLines('a:\n  read: true\nb:\n  hidden: true\n', swapped)).toEqual({
    removed: ['  read: true', 'b:'],
    added: ['b:', '  read: true'],
  });
  expect(changedLines('a:\n  read: true\nb:\nc: 1', 'a:\nb:\n  read: true\nc: 1')).toEqual({
    removed: ['  read: true'],
    added: ['  read: true'],
  });
});
