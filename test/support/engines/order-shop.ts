/** A shop with products, orders and their lines, for tests of batches. */
import type { Row } from '../../../src/collection/value.ts';
import { declaredBy } from './roles.ts';

export const ORDER_SHOP_YAML = `
collections:
  products:
    fields:
      id: int4
      sku: { type: text, required: true, unique: true }
      price: 'decimal(12,2)'
      stock: { type: int4, required: true, minimum: 0 }
  orders:
    fields:
      id: int8
      customer: { type: text, required: true }
      note: text
      total: { type: 'decimal(12,2)', maximum: 1000 }
      follows: { type: int8, references: { collection: orders, onDelete: restrict } }
  order_lines:
    key: [order_id, product_id]
    fields:
      order_id: { type: int8, references: { collection: orders, onDelete: cascade } }
      product_id: { type: int4, references: products }
      quantity: { type: int4, required: true, minimum: 1 }
`;

const ROLES = `
roles:
  anonymous:
    products: { read: { fields: [id, sku] } }
  clerk:
    orders: { read: { where: 'customer=eq.{claims.customer}', fields: [id, customer] }, create: true }
    order_lines: { read: true, create: true }
    products: { read: { fields: [id, sku, stock] }, update: { where: 'stock=gt.0', fields: [stock] } }
  inbox:
    orders: { create: true }
    order_lines: { create: true }
  admin: all
`;

export const ORDER_SHOP = declaredBy(ORDER_SHOP_YAML);
export const ORDER_SHOP_WITH_ROLES = declaredBy(ORDER_SHOP_YAML + ROLES);

export const ORDER_SHOP_ROWS: Readonly<Record<string, readonly Row[]>> = {
  products: [
    { id: 1, sku: 'tea', price: 4.5, stock: 10 },
    { id: 2, sku: 'jam', price: 3, stock: 5 },
    { id: 3, sku: 'oil', price: 9.99, stock: 0 },
  ],
  orders: [{ id: 1, customer: 'ann', note: null, total: 12, follows: null }],
  order_lines: [{ order_id: 1, product_id: 1, quantity: 2 }],
};
