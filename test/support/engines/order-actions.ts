/** A shop whose visitors place orders by an action. */
import type { Row } from '../../../src/collection/value.ts';

export const ORDERS_YAML = `
collections:
  customers:
    fields: { id: int4, name: text, data: json }
  products:
    fields:
      id: int4
      name: text
      status: { type: text, required: true, default: live }
      price: 'decimal(12,2)'
      stock: { type: int4, required: true, minimum: 0 }
      cost: int4
  orders:
    fields:
      id: int4
      customer_id: { type: int4, required: true, references: customers }
      note: { type: text, maxLength: 20 }
      placed_at: timestamptz
  order_lines:
    fields:
      id: int4
      order_id: { type: int4, required: true, references: orders }
      product_id: { type: int4, required: true, references: products }
      quantity: { type: int4, required: true }
      price: { type: 'decimal(12,2)', required: true, default: '{product_id.price}' }
actions:
  place_order:
    description: Places an order of the customer.
    parameters:
      lines:
        type: rows
        fields: { product: int4, quantity: { type: int4, minimum: 1, maximum: 99 } }
        maximum: 50
      note: { type: text, required: false, maxLength: 20 }
    batch:
      - { name: order, method: POST, path: orders, body: { customer_id: '{claims.customer_id}', note: '{note}', placed_at: '{now}' } }
      - { each: lines, method: PATCH, path: 'products?id=eq.{lines.product}&status=eq.live', body: { stock: { decrement: '{lines.quantity}' } }, affects: 1 }
      - { name: line, each: lines, method: POST, path: order_lines, body: { order_id: '{order.id}', product_id: '{lines.product}', quantity: '{lines.quantity}' } }
    returns: order
  cancel:
    parameters: { order: int4 }
    batch:
      - { method: DELETE, path: 'order_lines?order_id=eq.{order}' }
      - { name: gone, method: DELETE, path: 'orders?id=eq.{order}&customer_id=eq.{claims.customer_id}', affects: 1 }
  rename:
    parameters: { from: text, to: text, also: 'text[]' }
    batch:
      - { name: renamed, method: PATCH, path: '/products?name=eq.{from}&name=in.({also})', body: { name: '{to}' } }
      - { name: made, method: POST, path: customers, body: { name: '{to}' } }
    returns: [renamed, made]
  remember:
    parameters: { data: json }
    batch:
      - { name: product, method: PATCH, path: products?id=eq.1, body: { name: Tent } }
      - { name: stored, method: POST, path: customers, body: { name: x, data: '{data}' } }
    returns: stored
  purge:
    batch:
      - { method: DELETE, path: 'orders?placed_at=lt.{now}&customer_id=eq.2' }
      - { name: kept, method: PATCH, path: 'orders?placed_at=gte.{tomorrow}', body: { note: kept } }
    returns: kept
roles:
  anonymous: { products: { read: { where: 'status=eq.live', fields: [id, name, price] } } }
  customer:
    include: [anonymous]
    orders: { read: { where: 'customer_id=eq.{claims.customer_id}' } }
    call: [place_order, cancel]
  admin: all
`;

export const ORDER_ROWS: Readonly<Record<string, readonly Row[]>> = {
  customers: [
    { id: 1, name: 'Ann' },
    { id: 2, name: 'Bob' },
  ],
  products: [
    { id: 1, name: 'Tent', status: 'live', price: 199.9, stock: 5, cost: 77 },
    { id: 2, name: 'Stove', status: 'live', price: 49, stock: 100, cost: 20 },
    { id: 3, name: 'Old lamp', status: 'retired', price: 9, stock: 9, cost: 1 },
  ],
};
