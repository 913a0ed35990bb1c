/** A shop with prices for a time, and rules and queries that compare them with the present. */
import { declaredBy } from './roles.ts';

export const TIME_SHOP = declaredBy(`
collections:
  products:
    fields: { id: int4, name: text, released: date }
  prices:
    fields:
      id: int4
      product_id: { type: int4, references: products }
      amount: int4
      valid_from: { type: timestamptz, indexed: true }
      valid_to: { type: timestamptz, indexed: true }
  slots:
    fields: { id: int4, starts: timestamp, day: date }
queries:
  current_prices:
    parameters: { product: { type: int4 } }
    read: 'prices?product_id=eq.{product}&valid_from=lte.{now}&valid_to=gt.{now}&order=id'
  released:
    read: 'products?released=lte.{today}&order=id'
roles:
  anonymous:
    changes: { read: true }
    prices: { read: { where: 'valid_from=lte.{now}&or=(valid_to.is.null,valid_to.gt.{now})' } }
    products: { read: { where: 'prices.valid_from=lte.{now}' } }
    slots: { read: { where: 'day=gte.{today}' } }
  seller:
    prices:
      read: true
      create: { where: 'valid_from=gte.{now}' }
      update: { where: 'valid_from=gt.{now}' }
      delete: { where: 'valid_from=gt.{now}' }
  admin: all
`);

/** A time this number of milliseconds from now. */
export function fromNow(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}
