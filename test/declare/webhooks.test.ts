/** Webhooks in a declaration: parsing, and the error for each mistake. */
import { describe, expect, test } from 'bun:test';
import { declared, mistakesIn } from '../support/processes/declarations.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const URL_AND_SECRET = `url: 'https://shop.example/hook', secret: '{env.HOOK_SECRET}'`;

/** Builds a declaration whose webhook is in line 5. */
const withWebhook = (properties: string) => `collections:
  products: { fields: { id: int4, price: int4 } }
  notes: { history: false, fields: { id: int4 } }
webhooks:
  shop: { ${properties} }
`;

test('a webhook needs an address and a secret; the rest restricts what it sends', async () => {
  expect((await declared(withWebhook(URL_AND_SECRET))).webhooks).toEqual([
    { name: 'shop', url: 'https://shop.example/hook', secret: '{env.HOOK_SECRET}' },
  ]);
  const text = withWebhook(
    `url: 'http://127.0.0.1:9000/', secret: ${SECRET}, collections: [products], kinds: [insert, delete], where: price=gt.1`,
  );
  expect((await declared(text)).webhooks).toEqual([
    {
      name: 'shop',
      url: 'http://127.0.0.1:9000/',
      secret: SECRET,
      collections: ['products'],
      kinds: ['insert', 'delete'],
      where: 'price=gt.1',
    },
  ]);
});

describe('mistakes', () => {
  const cases: readonly (readonly [what: string, properties: string, ...mistakes: readonly string[]])[] = [
    ['no secret', `url: 'https://shop.example/'`, '5:3 shop: secret is missing'],
    ['an unknown key', `${URL_AND_SECRET}, kind: insert`, '5:74 shop: unknown key kind (perhaps you meant kinds)'],
    [
      'another protocol',
      `url: 'ftp://shop.example/', secret: ${SECRET}`,
      '5:11 shop: url must be an address such as https://shop.example/hook, without a name or password',
    ],
    [
      'a password in the address',
      `url: 'https://me:word@shop.example/', secret: ${SECRET}`,
      '5:11 shop: url must be an address such as https://shop.example/hook, without a name or password',
    ],
    [
      'a secret of another form',
      `url: 'https://shop.example/', secret: word`,
      '5:41 shop: secret must be whsec_ and the base64 of 24 to 64 bytes, or {env.NAME}',
    ],
    [
      'a secret that is short',
      `url: 'https://shop.example/', secret: whsec_AAAA`,
      '5:41 shop: secret must be whsec_ and the base64 of 24 to 64 bytes, or {env.NAME}',
    ],
    [
      'an unknown collection',
      `${URL_AND_SECRET}, collections: [product]`,
      '5:88 shop: unknown collection product (perhaps you meant products)',
    ],
    [
      'a collection without a log',
      `${URL_AND_SECRET}, collections: [notes]`,
      '5:88 shop: notes has history: false, so it has no changes to send',
    ],
    [
      'an unknown kind',
      `${URL_AND_SECRET}, kinds: [change]`,
      '5:82 shop: each of kinds must be one of insert, update, delete, not change',
    ],
    [
      'a field that does not exist',
      `${URL_AND_SECRET}, where: prise=gt.1`,
      '5:74 shop: where: column products.prise does not exist; perhaps you meant price',
    ],
    ['a claim', `${URL_AND_SECRET}, where: 'price=eq.{claims.level}'`, '5:74 shop: where: a webhook has no claims'],
  ];
  for (const [what, properties, ...mistakes] of cases) {
    test(what, async () => expect(await mistakesIn(withWebhook(properties))).toEqual(mistakes));
  }
});
