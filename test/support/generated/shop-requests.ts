/** Any request to the shop: text close to the dialect, reads that embed, writes of typed values, some of them wrong. */
import type fc from 'fast-check';
import type { CollectionDraft, FieldDraft } from '../../../src/collection/draft.ts';
import { SHOP_COLLECTIONS, SHOP_SHOWN } from '../engines/shop.ts';
import { type AnyRequest, anyRequest } from './any-request.ts';
import { type Chooser, chooseRequest, chooserOf, pathOf } from './embedding-requests.ts';
import { malformed } from './malformed.ts';
import { TYPE_VALUES } from './type-values.ts';

const RELATED = { collections: SHOP_COLLECTIONS, rows: SHOP_SHOWN };
const TYPES = Object.keys(TYPE_VALUES);
const SELF_REFERRING = SHOP_COLLECTIONS.filter(({ name, fields }) =>
  fields.some(({ references }) => references?.collection === name),
);
const PREFERENCES = [
  'return=representation',
  'return=minimal',
  'return=headers-only',
  'count=exact',
  'resolution=merge-duplicates',
  'resolution=ignore-duplicates',
  'missing=default',
  'handling=strict',
  'max-affected=2',
  'tx=rollback',
];
const ACCEPTED = [
  'text/csv',
  'application/x-ndjson',
  'application/vnd.pgrst.object+json',
  'application/vnd.pgrst.array+json;nulls=stripped',
];

export function chooseShopRequest(generate: fc.GeneratorValue): AnyRequest {
  const choose = chooserOf(generate);
  const kind = choose.number(0, 19);
  if (kind < 3) {
    const request = generate(() => (kind === 0 ? anyRequest : malformed));
    return { ...request, path: request.path.replace(/^\/products/, `/${choose.one(SHOP_COLLECTIONS).name}`) };
  }
  if (kind < 9) return read(choose);
  // Every fourth writes a list to a collection that refers to itself.
  const isTree = kind < 14;
  const collection = choose.one(isTree ? SELF_REFERRING : SHOP_COLLECTIONS);
  const row = () => rowOf(choose, generate, collection);
  return isTree ? insert(choose, collection, row, 8) : write(choose, collection, row);
}

function headersOf(choose: Chooser): Record<string, string> {
  const preferences = choose.some(PREFERENCES).filter(() => choose.sometimes(40));
  return {
    'content-type': 'application/json',
    ...(preferences.length === 0 ? {} : { prefer: preferences.join(', ') }),
    ...(choose.sometimes(15) ? { accept: choose.one(ACCEPTED) } : {}),
    ...(choose.sometimes(5) ? { 'idempotency-key': `key ${choose.number(0, 9)}` } : {}),
    ...(choose.sometimes(2) ? { 'if-match': choose.one(['*', '"x"']) } : {}),
  };
}

function read(choose: Chooser): AnyRequest {
  const path = pathOf(chooseRequest(choose, RELATED, 3));
  return { method: choose.one(['GET', 'GET', 'HEAD']), path, headers: headersOf(choose), body: null };
}

function insert(choose: Chooser, { name, fields }: CollectionDraft, row: () => string, most: number): AnyRequest {
  const body = choose.sometimes(20) ? row() : `[${Array.from({ length: choose.number(0, most) }, row).join(',')}]`;
  const names = () =>
    choose
      .some(
        fields.map((field) => field.name),
        1,
      )
      .join();
  const query = [
    ...(choose.sometimes(15) ? [`on_conflict=${names()}`] : []),
    ...(choose.sometimes(50) ? [`columns=${fields.map((field) => field.name).join()}`] : []),
  ];
  return { method: 'POST', path: `/${name}?${query.join('&')}`, headers: headersOf(choose), body };
}

function write(choose: Chooser, collection: CollectionDraft, row: () => string): AnyRequest {
  const { name, key } = collection;
  const method = choose.one(['POST', 'POST', 'PATCH', 'PATCH', 'PUT', 'DELETE']);
  if (method === 'POST') return insert(choose, collection, row, 4);
  const paths = [
    () => `/${name}/${choose.number(0, 30)}`,
    () => `/${name}?${key.map((field) => `${field}=eq.${choose.number(0, 30)}`).join('&')}`,
    () => `/${name}?${key[0]}=gt.${choose.number(20, 90)}&order=${key[0]}&limit=${choose.number(0, 3)}`,
    () => pathOf(chooseRequest(choose, RELATED, 2)),
    () => `/${name}`,
  ];
  const isList = method === 'PATCH' && choose.sometimes(30);
  const body = isList ? `[${row()},${row()}]` : row();
  return { method, path: choose.one(paths)(), headers: headersOf(choose), body: method === 'DELETE' ? null : body };
}

/** Some fields are missing, some null, some of another type; keys and references often exist. */
function rowOf(choose: Chooser, generate: fc.GeneratorValue, { name, fields, key }: CollectionDraft): string {
  const members = fields.flatMap((field) => {
    const isKey = key.includes(field.name);
    if (choose.sometimes(field.required || isKey ? 3 : 30)) return [];
    return [`${JSON.stringify(field.name)}:${fieldValue(choose, generate, field, isKey, name)}`];
  });
  return `{${members.join(',')}}`;
}

function fieldValue(
  choose: Chooser,
  generate: fc.GeneratorValue,
  { name, type, references, oneOf, pattern }: FieldDraft,
  isKey: boolean,
  collection: string,
): string {
  if (choose.sometimes(isKey ? 1 : 4)) return 'null';
  if (choose.sometimes(2)) return generate(() => TYPE_VALUES[choose.one(TYPES)]!);
  const known = SHOP_SHOWN[references?.collection ?? collection]!;
  if ((references !== undefined || isKey) && choose.sometimes(60)) {
    const value = choose.one(known)[references === undefined ? name : 'id'];
    if (value !== undefined) return JSON.stringify(value);
  }
  // New rows that refer to each other.
  if (type === 'int4' && (references !== undefined || isKey)) return String(choose.number(100, 106));
  if (oneOf !== undefined) return JSON.stringify(choose.one(oneOf));
  if (pattern !== undefined && choose.sometimes(80)) return choose.one(['"A-0001"', '"B-1234"', '"EUR"', '"USD"']);
  return generate(() => TYPE_VALUES[type]!);
}
