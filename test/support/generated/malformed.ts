/** Requests that are invalid by construction: the service must reject each of them. */
import fc from 'fast-check';
import { products } from '../../../src/collection/products.ts';
import { type AnyRequest, PARAMETERS } from './any-request.ts';
import { product } from './generators.ts';

const FIELDS = products.fields.map(({ name }) => name);
const NUMERIC = products.fields.filter(({ type }) => type.name !== 'text').map(({ name }) => name);
const HEADERS_OF_JSON = { 'content-type': 'application/json' };

const field = fc.constantFrom(...FIELDS);
const word = fc.stringMatching(/^[a-z]{3,12}$/);
const notAField = word.filter((name) => !FIELDS.includes(name) && !PARAMETERS.includes(name));
const notANumber = fc.stringMatching(/^[a-df-z]{1,8}[!?]?$/).filter((text) => !/^(inf|infinity|nan)$/.test(text));
const notUtf8 = fc.constantFrom('%ff', '%c3%28', '%e2%82', '%f0%9f%8d', '%ed%a0%80', '%c0%af');
const reading = fc.constantFrom('GET', 'HEAD', 'DELETE', 'PATCH');

function ask(method: string, path: string, body: AnyRequest['body'] = null, headers = {}): AnyRequest {
  const needsBody = method === 'PATCH' && body === null;
  return { method, path, headers: { ...HEADERS_OF_JSON, ...headers }, body: needsBody ? '{"discontinued":1}' : body };
}

/** Generates a request with an error that the service must reject. */
export const malformed: fc.Arbitrary<AnyRequest> = fc.oneof(
  fc.tuple(reading, notAField).map(([method, name]) => ask(method, `/products?${name}=eq.1`)),
  fc.tuple(reading, field, word).map(([method, name, value]) => ask(method, `/products?${name}=${value}`)),
  fc
    .tuple(reading, fc.constantFrom(...NUMERIC), notANumber)
    .map(([method, name, value]) => ask(method, `/products?${name}=eq.${encodeURIComponent(value)}`)),
  fc.tuple(reading, field, notUtf8).map(([method, name, bytes]) => ask(method, `/products?${name}=eq.${bytes}`)),
  fc
    .tuple(reading, fc.constantFrom('limit', 'offset'), notANumber)
    .map(([method, name, value]) => ask(method, `/products?id=gt.0&${name}=${encodeURIComponent(value)}`)),
  fc
    .tuple(reading, fc.constantFrom('and', 'or', 'not.and', 'not.or'), field)
    .map(([method, logic, name]) => ask(method, `/products?${logic}=(${name}.eq.1`)),
  fc.tuple(reading, notAField).map(([method, name]) => ask(method, `/products?id=gt.0&select=${name}&order=${name}`)),
  fc.tuple(reading, field).map(([method, name]) => ask(method, `/products?${name}=in.(1,2`)),
  fc.tuple(reading, notANumber).map(([method, key]) => ask(method, `/products/${encodeURIComponent(key)}`)),
  fc.tuple(reading, word).map(([method, path]) => ask(method, `/products/1/${path}`)),
  fc.tuple(reading, word).map(([method, path]) => ask(method, `/x${path}`)),
  fc.tuple(reading, word).map(([method, type]) => ask(method, '/products?id=gt.0', null, { accept: `x/${type}` })),
  fc
    .tuple(reading, word)
    .map(([method, name]) => ask(method, '/products?id=gt.0', null, { prefer: `handling=strict, x${name}=1` })),
  fc.constantFrom('DELETE', 'PATCH').map((method) => ask(method, '/products')),
  // Invalid bodies: truncated, not an object, with unknown fields, with values of another type, or with existing ids.
  fc.tuple(fc.constantFrom('POST', 'PATCH'), product, fc.nat()).map(([method, row, at]) => {
    const text = JSON.stringify(row);
    return ask(method, '/products?id=gt.0', text.slice(0, at % text.length));
  }),
  fc
    .tuple(fc.constantFrom('POST', 'PATCH'), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)))
    .map(([method, value]) => ask(method, '/products?id=gt.0', JSON.stringify(value))),
  fc
    .tuple(fc.constantFrom('POST', 'PATCH'), product, notAField)
    .map(([method, row, name]) => ask(method, '/products?id=gt.0', JSON.stringify({ ...row, [name]: 1 }))),
  fc
    .tuple(fc.constantFrom('POST', 'PATCH'), product, fc.constantFrom(...NUMERIC), notANumber)
    .map(([method, row, name, value]) => ask(method, '/products?id=gt.0', JSON.stringify({ ...row, [name]: value }))),
  fc.tuple(product, fc.integer({ min: 1, max: 77 })).map(([row, id]) =>
    ask(
      'POST',
      '/products',
      JSON.stringify([
        { ...row, id: 99_999 },
        { ...row, id },
      ]),
    ),
  ),
  fc
    .tuple(product, word)
    .map(([row, type]) => ask('POST', '/products', JSON.stringify(row), { 'content-type': `x/${type}` })),
  fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((bytes) => ask('POST', '/products', Uint8Array.from([0xff, ...bytes]))),
);
