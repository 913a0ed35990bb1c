/** Generated requests of any kind. Most are close enough to the dialect to reach deep into the service. */
import fc from 'fast-check';
import { products } from '../../../src/collection/products.ts';
import { OPERATORS } from '../../../src/dialect/operators.ts';
import { product } from './generators.ts';

export interface AnyRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

const oneOf = (spaced: string) => fc.constantFrom(...spaced.split(' '));
const joined = (piece: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(piece, { maxLength }).map((pieces) => pieces.join(''));

export const PARAMETERS = 'select order limit offset columns on_conflict and or not.and not.or'.split(' ');
const FIELDS = products.fields.map(({ name }) => name);
const field = fc.constantFrom(...FIELDS);
const operator = fc.constantFrom(...Object.keys(OPERATORS), 'not.eq', 'not.in', 'eq(any)', 'like(all)', 'match(any)');

/** Fragments of the dialect, to be combined in any way. */
const piece = fc.oneof(
  { weight: 2, arbitrary: field },
  { weight: 2, arbitrary: fc.constantFrom(...PARAMETERS) },
  { weight: 2, arbitrary: operator },
  { weight: 2, arbitrary: oneOf('not any all null true sum() count() avg() text int asc desc nullsfirst') },
  { weight: 2, arbitrary: oneOf('0 1 77 -1 2147483648 1e400 1.5 * 99999999999999999999') },
  { weight: 6, arbitrary: oneOf('= = = & & . . . , , ( ) { } " \\ : :: -> ->> ! ? + # / .. [ ] | ^ $') },
  { weight: 2, arbitrary: oneOf('% %00 %ff %20 %22 %5c') },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 6 }).map((text) => encodeURIComponent(text.toWellFormed())),
  },
);

const percentBytes = fc
  .uint8Array({ maxLength: 60 })
  .map((bytes) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
const filterLike = fc
  .tuple(field, operator, joined(piece, 6))
  .map(([name, operation, rest]) => `${name}=${operation}.${rest}`);

/** Generates many repetitions of one unit. They reveal quadratic run time and recursion per element. */
const repeated = (...units: readonly string[]) =>
  fc.tuple(fc.constantFrom(...units), fc.integer({ min: 2, max: 4_000 })).map(([unit, count]) => unit.repeat(count));
const manyTerms = repeated(
  'a&',
  '&',
  '=',
  'id=eq.1&',
  'id=not.',
  'limit=1&',
  'a.b.',
  'products.id=eq.1&',
  'select=id&',
);
const manyParts = fc
  .tuple(
    fc.constantFrom('select=', 'order=', 'or=', 'columns=', 'id=in.', 'product_name=like.', 'product_name=match.'),
    repeated(
      '(',
      'and(',
      ')',
      '"',
      '\\',
      ',',
      '.',
      'id,',
      '*',
      '%25',
      '->',
      'a|',
      '(a*)*',
      '{1,9}',
      'a(',
      '::text',
      '...a(',
    ),
  )
  .map(([name, value]) => `${name}${value}`);
const manySearched = fc
  .tuple(
    oneOf('fts plfts phfts wfts'),
    repeated("a'", '!', '(', 'a%26', 'a|', 'a<->', '"', 'a-', 'a.b@', '<a ', ':*', '\\'),
  )
  .map(([searched, value]) => `product_name=${searched}.${value}`);

const anyQuery = fc.oneof(
  manyTerms,
  manyParts,
  manySearched,
  percentBytes,
  fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('#', '')),
  joined(piece, 25),
  fc.array(filterLike, { minLength: 1, maxLength: 4 }).map((filters) => filters.join('&')),
  fc.tuple(fc.constantFrom(...PARAMETERS), joined(piece, 12)).map(([name, value]) => `${name}=${value}`),
);

/** Characters that a header may hold on the wire: visible ASCII, spaces, and bytes above 127. */
const headerText = fc.stringMatching(/^[\x21-\x7e\xa0-\xff][\x20-\x7e\xa0-\xff]{0,40}$/).map((text) => text.trim());
const headerOf = (spaced: string) => {
  const known = { weight: 5, arbitrary: oneOf(spaced) };
  const parts = joined(fc.oneof(known, { weight: 1, arbitrary: headerText }), 8);
  return fc.oneof(
    headerText,
    parts.map((text) => text.trim()),
  );
};

const anyHeaders = fc.record(
  {
    accept: headerOf(
      'application/json text/csv */* application/vnd.pgrst.object+json application/x-ndjson ; nulls=stripped , q=0.5 q=',
    ),
    prefer: headerOf(
      'return=representation return=minimal count=exact count=planned tx=rollback handling=strict max-affected= 1 missing=default resolution=merge-duplicates resolution=ignore-duplicates , , , =',
    ),
    range: headerOf('0 - 5 99999999999999999999 items= bytes='),
    'content-type': headerOf(
      'application/json text/csv application/x-www-form-urlencoded application/merge-patch+json ; charset= utf-8',
    ),
    'if-none-match': headerOf('* " W/ , abc'),
    'if-match': headerOf('* " W/ , abc'),
    'idempotency-key': headerText,
  },
  { requiredKeys: [] },
);

const anyBody: fc.Arbitrary<AnyRequest['body']> = fc.oneof(
  fc.constant(null),
  repeated('[', '{', '{},', '[],', '1e2,', '9', '"', '\\"', ',', '\n', 'a\n', 'a,', '&', 'a&', '{"a":', ' '),
  repeated('{},', '{"product_name":"a"},', '[],', '1e2,', '"a",', 'null,').map((items) => `[${items}{}]`),
  repeated('[', '{"a":').map((opening) => `[{"product_name":${opening}`),
  repeated('9', '.9', '1e9', '-').map((digits) => `{"unit_price":${digits}}`),
  fc.uint8Array({ maxLength: 80 }).map((bytes) => Uint8Array.from(bytes)),
  fc.json(),
  fc.string({ unit: 'binary' }),
  product.map((row) => JSON.stringify(row)),
  fc.array(product, { maxLength: 3 }).map((rows) => JSON.stringify(rows)),
  joined(fc.oneof(field, fc.string(), fc.constantFrom(',', '\n', '"', 'NULL', '=', '&')), 20),
);

const anyKey = fc.oneof(fc.integer({ min: -5, max: 100 }).map(String), percentBytes);
const anyPath = fc.oneof(
  { weight: 8, arbitrary: fc.constant('/products') },
  { weight: 2, arbitrary: anyKey.map((key) => `/products/${key}`) },
  { weight: 1, arbitrary: percentBytes.map((text) => `/${text}`) },
);

export const anyRequest: fc.Arbitrary<AnyRequest> = fc
  .record({
    method: oneOf('GET GET GET HEAD POST PATCH PUT DELETE OPTIONS PROPFIND QUERY'),
    path: fc.tuple(anyPath, anyQuery).map(([path, query]) => `${path}?${query}`),
    headers: anyHeaders,
    body: anyBody,
  })
  .map((request) => (['GET', 'HEAD', 'OPTIONS'].includes(request.method) ? { ...request, body: null } : request));
