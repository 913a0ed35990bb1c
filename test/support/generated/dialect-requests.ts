/**
 * Generated well-formed requests that cover the dialect: fields, operators, logic, casts, aggregates, order, pages and
 * writes.
 */
import fc from 'fast-check';
import type { Field } from '../../../src/collection/declaration.ts';
import { products } from '../../../src/collection/products.ts';
import referenceProducts from '../../../src/collection/reference-products.json' with { type: 'json' };
import type { Row } from '../../../src/collection/value.ts';

export interface DialectRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/**
 * Products with values that the reference products lack: other scripts, other cases, empty texts, nulls and extreme
 * values.
 */
export const ODD_PRODUCTS: readonly Row[] = [
  'ÄRGER über Straße',
  'ärger ÜBER STRASSE',
  'ΟΔΟΣ οδοσ',
  'naïve café',
  'Ещё ЕЩЁ',
  '日本語 テスト',
  'emoji 🧀 cheese',
  'tab\tand\nnewline',
  'percent % under_score back\\slash "quoted", comma',
  '',
  ' spaces  ',
  'x'.repeat(600),
  `${'x'.repeat(600)}y`,
  'running runners ran cheeses cheese',
].map((product_name, index) => ({
  id: 1000 + index * 7,
  product_name,
  discontinued: index % 3,
  supplier_id: index % 4 === 0 ? null : index,
  category_id: index % 5 === 0 ? null : -index,
  quantity_per_unit: index % 2 === 0 ? null : product_name.slice(0, 8).toUpperCase(),
  unit_price: [null, 0, -0.0001, 99999999.9999, 1.005, 2.5, 3.5, 0.5][index % 8]!,
  units_in_stock: index % 3 === 0 ? null : 2147483647 - index,
  units_on_order: -2147483648 + index,
  reorder_level: index % 6 === 0 ? null : index * 5,
}));

const FIELDS = products.fields;
const field = fc.constantFrom(...FIELDS);

const rows: readonly Row[] = [...(referenceProducts as Row[]), ...ODD_PRODUCTS];
const encode = encodeURIComponent;
const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

const EXTREMES: Readonly<Record<string, readonly string[]>> = {
  int4: ['0', '-1', '2147483647', '-2147483648', '2147483648', ' 7 ', '1.5', 'x', ''],
  decimal: [
    '0',
    '18',
    '18.00',
    '1e1',
    '1e-4',
    '99999999.99995',
    '-0.00005',
    '21.35000000000000000001',
    'NaN',
    'x',
    '1e400',
  ],
  text: ['', 'Chai', 'chai', 'zzz', 'Ä', '🧀', ' ', "O'Brien", 'null', '\\'],
};

/** Generates a value that a row has, or a boundary value of the type. */
function someValueOf({ name, type }: Field): fc.Arbitrary<string> {
  const known = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...known.map(String)) },
    { weight: 1, arbitrary: fc.constantFrom(...EXTREMES[type.kind]!) },
  );
}

const words = fc.constantFrom(...new Set(rows.flatMap((row) => String(row.product_name).split(/\s+/)).filter(Boolean)));
const cut = fc
  .tuple(words, fc.nat(3), fc.nat(6))
  .map(([word, from, length]) => [...word].slice(from, from + length + 1).join(''));
const anyCase = fc
  .tuple(cut, fc.constantFrom('asis', 'upper', 'lower'))
  .map(([text, how]) => (how === 'upper' ? text.toUpperCase() : how === 'lower' ? text.toLowerCase() : text));

const likePattern = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: anyCase },
      { weight: 4, arbitrary: fc.constantFrom('*', '%', '_', '\\%', '\\_', '\\\\') },
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((pieces) => pieces.join(''));
const regexPiece = fc.oneof(
  { weight: 4, arbitrary: anyCase.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...['.', '.*', '.+', '^', '$', '\\w', '\\W', '\\d', '\\s', '[a-m]', '[^a-z]', '[[:upper:]]', '[[:digit:]]+'],
      ...['(a|e)', 'x?', 'o{2}', '\\mC', 'e\\M', '(?:an)+', '(', '[', 'a{2,1}', '*'],
    ),
  },
);
const regexPattern = fc.array(regexPiece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
const searchWord = fc.constantFrom(
  ...'cheese cheeses running run sauce chocolate queso gorgonzola the of mix tea'.split(' '),
);
const searchQuery = fc.oneof(
  searchWord,
  fc.tuple(searchWord, fc.constantFrom(' & ', ' | ', ' & !'), searchWord).map((parts) => parts.join('')),
  fc.tuple(searchWord, searchWord).map((parts) => parts.join(' ')),
);

/** Generates `operator.value`, which follows `field=`, or `field.` inside logic. */
function test(of: Field): fc.Arbitrary<string> {
  const value = someValueOf(of);
  const comparison = fc
    .tuple(fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'isdistinct'), value)
    .map(([operator, text]) => `${operator}.${quotedIfNeeded(text)}`);
  const list = fc
    .array(value, { minLength: 1, maxLength: 5 })
    .map((texts) => `in.(${texts.map((text) => quoted(text)).join(',')})`);
  const is = fc.constantFrom('is.null', 'is.not_null', 'is.null', 'is.not_null', 'is.true');
  const quantified = fc
    .tuple(
      fc.constantFrom('eq(any)', 'neq(all)', 'gt(any)', 'lte(all)'),
      fc.array(value, { minLength: 1, maxLength: 3 }),
    )
    .map(([operator, texts]) => `${operator}.{${texts.map(quoted).join(',')}}`);
  const pattern = fc.oneof(
    fc
      .tuple(fc.constantFrom('like', 'ilike'), likePattern)
      .map(([operator, text]) => `${operator}.${quotedIfNeeded(text)}`),
    fc
      .tuple(fc.constantFrom('match', 'imatch'), regexPattern)
      .map(([operator, text]) => `${operator}.${quotedIfNeeded(text)}`),
    fc
      .tuple(fc.constantFrom('like(any)', 'ilike(all)'), fc.array(likePattern, { minLength: 1, maxLength: 2 }))
      .map(([operator, texts]) => `${operator}.{${texts.map(quoted).join(',')}}`),
  );
  const search = fc
    .tuple(
      fc.constantFrom('fts', 'plfts', 'phfts', 'wfts', 'fts(simple)', 'plfts(english)', 'fts(klingon)'),
      searchQuery,
    )
    .map(([operator, text]) => `${operator}.${quotedIfNeeded(text)}`);
  const texts =
    of.type.name === 'text'
      ? [
          { weight: 4, arbitrary: pattern },
          { weight: 2, arbitrary: search },
        ]
      : [];
  const positive = fc.oneof(
    { weight: 4, arbitrary: comparison },
    { weight: 2, arbitrary: list },
    { weight: 1, arbitrary: is },
    { weight: 1, arbitrary: quantified },
    ...texts,
  );
  return fc.tuple(fc.boolean(), positive).map(([negated, text]) => (negated ? `not.${text}` : text));
}

/**
 * Marks a value that needs quotes inside logic if it has a comma or a bracket. Outside logic the value stays as it is.
 */
const MARK = '\u{e000}';
const quotedIfNeeded = (text: string) => `${MARK}${text}${MARK}`;
const bare = (text: string) => text.replace(/\u{e000}(.*)\u{e000}/su, '$1');
const inLogic = (text: string) => text.replace(/\u{e000}(.*)\u{e000}/su, (_, value) => quoted(value));

const fieldTest = field.chain((of) => test(of).map((text) => ({ name: of.name, text })));
const plain = fieldTest.map(({ name, text }) => `${name}=${encode(bare(text))}`);
const logic: fc.Arbitrary<string> = fc.letrec<{ tree: string; leaf: string; branch: string }>((tie) => ({
  leaf: fieldTest.map(({ name, text }) => {
    const negated = text.startsWith('not.');
    return `${name}.${negated ? 'not.' : ''}${inLogic(negated ? text.slice(4) : text)}`;
  }),
  branch: fc
    .tuple(fc.constantFrom('and', 'or', 'not.and', 'not.or'), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
    .map(([joiner, terms]) => `${joiner}(${terms.join(',')})`),
  tree: fc.oneof({ maxDepth: 3, depthIdentifier: 'logic' }, tie('leaf'), tie('branch')),
})).branch;
const logicParameter = logic.map((text) => {
  const open = text.indexOf('(');
  return `${text.slice(0, open)}=${encode(text.slice(open))}`;
});
export const filters = fc
  .array(fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: logicParameter }), { maxLength: 3 })
  .map((list) => list.join('&'));

const casts = fc.constantFrom(
  '',
  '',
  '',
  '',
  '',
  '::text',
  '::text',
  '::int',
  '::numeric',
  '::float8',
  '::bool',
  '::nope',
);
const column = fc
  .tuple(fc.constantFrom('', '', 'a:', 'other:'), field, casts)
  .map(([alias, { name }, type]) => `${alias}${name}${type}`);
const aggregate = fc
  .tuple(
    fc.constantFrom('', 's:', 'm:'),
    field,
    fc.constantFrom('sum', 'avg', 'min', 'max', 'count'),
    fc.constantFrom('', '', '::text', '::int'),
  )
  .map(([alias, { name }, call, type]) => `${alias}${name}.${call}()${type}`);
const select = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: fc.array(column, { minLength: 1, maxLength: 4 }).map((list) => `select=${list.join(',')}`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.array(fc.oneof(aggregate, fc.constant('count()')), { minLength: 1, maxLength: 3 }),
        fc.array(column, { maxLength: 2 }),
      )
      .map(([aggregates, columns]) => `select=${[...columns, ...aggregates].join(',')}`),
  },
);
const orderTerm = fc
  .tuple(field, fc.constantFrom('', '.asc', '.desc'), fc.constantFrom('', '.nullsfirst', '.nullslast'))
  .map(([{ name }, direction, nulls]) => `${name}${direction}${nulls}`);
const order = fc.oneof(
  fc.constant(''),
  fc.array(orderTerm, { minLength: 1, maxLength: 3 }).map((terms) => `order=${terms.join(',')}`),
);
const page = fc
  .tuple(
    fc.option(fc.integer({ min: 0, max: 40 })),
    fc.option(
      fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: 0, max: 8 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 110 }) },
      ),
      { freq: 1 },
    ),
  )
  .map(([limit, offset]) =>
    [limit === null ? '' : `limit=${limit}`, offset === null ? '' : `offset=${offset}`].filter(Boolean).join('&'),
  );

const readHeaders = fc.record(
  {
    accept: fc.constantFrom(
      'application/json',
      'text/csv',
      'application/x-ndjson',
      'application/vnd.pgrst.object+json',
      'application/vnd.pgrst.array+json;nulls=stripped',
    ),
    prefer: fc.constantFrom('count=exact', 'count=planned', 'count=estimated', 'handling=strict'),
    range: fc.constantFrom('0-4', '0-', '2-9', '0-1000', '10-19', '90-200'),
  },
  { requiredKeys: [] },
);

const query = (...parts: string[]) => parts.filter((part) => part !== '').join('&');

export const readRequest: fc.Arbitrary<DialectRequest> = fc
  .tuple(fc.constantFrom('GET', 'GET', 'GET', 'HEAD'), filters, select, order, page, readHeaders)
  .map(([method, where, columns, by, part, headers]) => ({
    method,
    path: `/products?${query(where, columns, by, part)}`,
    headers: headers as Record<string, string>,
    body: null,
  }));

const id = fc.oneof(fc.integer({ min: 1, max: 85 }), fc.constantFrom(1000, 1007, 2_000_000));
const valueFor = ({ name, type }: Field): fc.Arbitrary<unknown> => {
  const known = rows.map((row) => row[name]);
  const odd = type.name === 'text' ? ['', 'Ünïcode', 5, true, null] : [null, 0, '7', 1.23456, -5, 'x', 3e9];
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
};
const values = fc.record(
  Object.fromEntries(FIELDS.filter((each) => each !== products.key[0]).map((each) => [each.name, valueFor(each)])),
  { requiredKeys: [] },
);
const named = fc.tuple(words, values).map(([product_name, rest]) => ({ product_name, ...rest }));
const numbered = fc.tuple(id, named).map(([key, row]) => ({ id: key, ...row }));
const prefer = fc
  .record(
    {
      return: fc.constantFrom('minimal', 'representation', 'headers-only'),
      resolution: fc.constantFrom('merge-duplicates', 'ignore-duplicates'),
      missing: fc.constant('default'),
      count: fc.constant('exact'),
      tx: fc.constantFrom('commit', 'rollback'),
      handling: fc.constant('strict'),
      'max-affected': fc.constantFrom('1', '5'),
    },
    { requiredKeys: [] },
  )
  .map((each) =>
    Object.entries(each)
      .map(([name, value]) => `${name}=${value}`)
      .join(', '),
  );
const writeHeaders = fc
  .tuple(
    prefer,
    fc.constantFrom('application/json', 'application/json', 'application/vnd.pgrst.object+json', 'text/csv'),
  )
  .map(([wanted, accept]) => ({
    'content-type': 'application/json',
    accept,
    ...(wanted === '' ? {} : { prefer: wanted }),
  }));

const writeTarget = fc.oneof(
  { weight: 3, arbitrary: filters.map((where) => `/products?${where}`) },
  { weight: 2, arbitrary: id.map((key) => `/products/${key}`) },
  { weight: 2, arbitrary: id.map((key) => `/products?id=eq.${key}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(filters, orderTerm, fc.integer({ min: 1, max: 3 }))
      .map(([where, by, limit]) => `/products?${query(where, `order=${by}`, `limit=${limit}`)}`),
  },
);
const write = (method: string, path: fc.Arbitrary<string>, body: fc.Arbitrary<unknown>) =>
  fc.tuple(path, body, select, writeHeaders).map(
    ([target, content, columns, headers]): DialectRequest => ({
      method,
      path:
        target +
        (columns === '' || target.startsWith('/products/') ? '' : `${target.includes('?') ? '&' : '?'}${columns}`),
      headers,
      body: content === null ? null : JSON.stringify(content),
    }),
  );

export const writeRequest: fc.Arbitrary<DialectRequest> = fc.oneof(
  write(
    'POST',
    fc.constant('/products'),
    fc.oneof(named, fc.array(named, { maxLength: 3 }), numbered, fc.array(numbered, { maxLength: 3 })),
  ),
  write('PATCH', writeTarget, values),
  write(
    'PATCH',
    fc.constant('/products'),
    fc.array(
      fc.tuple(id, values).map(([key, row]) => ({ id: key, ...row })),
      { minLength: 1, maxLength: 3 },
    ),
  ),
  write(
    'PUT',
    id.map((key) => `/products?id=eq.${key}`),
    numbered,
  ),
  id.chain((key) => write('PUT', fc.constant(`/products/${key}`), named)),
  write('DELETE', writeTarget, fc.constant(null)),
);
