/** A shop whose rules follow references: customers see their own orders, visitors what belongs to live products. */
import type { Row } from '../../../src/collection/value.ts';
import { declaredBy } from './roles.ts';

const OWN_ORDER = 'orders.customer_id=eq.{claims.customer_id}';

export const PATH_SHOP = declaredBy(`
collections:
  customers:
    fields: { id: int4, name: text, city: text }
  orders:
    fields:
      id: int4
      customer_id: { type: int4, references: customers }
      status: { type: text, required: true, default: open }
  categories:
    fields:
      id: int4
      name: text
      hidden: { type: boolean, required: true, default: false }
      parent_id: { type: int4, references: { collection: categories, circles: true } }
  products:
    fields:
      id: int4
      name: { type: text, unique: true }
      status: { type: text, required: true, default: live }
      category_id: { type: int4, references: categories }
      spare_category_id: { type: int4, references: categories }
  texts:
    fields:
      id: int4
      product_id: { type: int4, references: { collection: products, onDelete: cascade } }
      body: text
      image: image
  order_lines:
    unique: [[order_id, product_id]]
    fields:
      id: int4
      order_id: { type: int4, required: true, references: { collection: orders, onDelete: cascade } }
      product_id: { type: int4, references: products }
      quantity: int4
  labels:
    fields: { id: int4, name: text }
  product_labels:
    key: [product_id, label_id]
    fields:
      product_id: { type: int4, references: products }
      label_id: { type: int4, references: labels }
roles:
  anonymous:
    products: { read: { where: 'status=eq.live&or=(category_id.is.null,categories!category_id.hidden.is.false)' } }
    texts: { read: { where: 'products.status=eq.live&products.categories!category_id.hidden=is.false' } }
    categories: { read: { where: 'hidden=is.false&or=(parent_id.is.null,parent_id.hidden.is.false)' } }
    labels: { read: { where: 'products.status=eq.live' } }
    product_labels: { read: { where: 'products.status=eq.live' } }
    changes: { read: true }
  customer:
    customers: { read: { where: 'id=eq.{claims.customer_id}' } }
    orders: { read: { where: 'customer_id=eq.{claims.customer_id}' }, create: { where: 'customer_id=eq.{claims.customer_id}' } }
    products: { read: { where: 'status=eq.live' } }
    order_lines:
      read: { where: '${OWN_ORDER}' }
      create: { where: '${OWN_ORDER}&orders.status=eq.open&products.status=eq.live' }
      update: { where: '${OWN_ORDER}&orders.status=eq.open' }
      delete: { where: 'orders.status=eq.open' }
    changes: { read: true }
  buyer:
    orders: { read: { where: 'order_lines.products.status=eq.live&order_lines.quantity=gt.5' } }
    customers: { read: { where: 'orders.order_lines.product_id=eq.3' } }
    products: { read: { where: 'not.or=(order_lines.orders.customer_id.eq.{claims.customer_id},status.eq.draft)' } }
  gardener:
    categories: { read: true, create: { where: 'or=(parent_id.is.null,parent_id.hidden.is.false)' }, update: { where: 'or=(parent_id.is.null,parent_id.hidden.is.false)' } }
  admin: all
`);

export const PATH_SHOP_ROWS: Readonly<Record<string, readonly Row[]>> = {
  customers: [
    { id: 1, name: 'Ann', city: 'Rome' },
    { id: 2, name: 'Bob', city: 'Oslo' },
  ],
  orders: [
    { id: 1, customer_id: 1, status: 'open' },
    { id: 2, customer_id: 1, status: 'sent' },
    { id: 3, customer_id: 2, status: 'open' },
    { id: 4, customer_id: null, status: 'open' },
  ],
  categories: [
    { id: 1, name: 'Tents', hidden: false, parent_id: null },
    { id: 2, name: 'Secret', hidden: true, parent_id: null },
    { id: 3, name: 'Below secret', hidden: false, parent_id: 2 },
    { id: 4, name: 'Below tents', hidden: false, parent_id: 1 },
  ],
  products: [
    { id: 1, name: 'Tent', status: 'live', category_id: 1, spare_category_id: 2 },
    { id: 2, name: 'Stove', status: 'draft', category_id: 1, spare_category_id: null },
    { id: 3, name: 'Rope', status: 'live', category_id: 2, spare_category_id: 1 },
    { id: 4, name: 'Lamp', status: 'live', category_id: null, spare_category_id: null },
  ],
  texts: [
    { id: 1, product_id: 1, body: 'A tent', image: null },
    { id: 2, product_id: 2, body: 'A stove', image: null },
    { id: 3, product_id: 3, body: 'A rope', image: null },
    { id: 4, product_id: 4, body: 'A lamp', image: null },
    { id: 5, product_id: null, body: 'Nothing', image: null },
  ],
  order_lines: [
    { id: 1, order_id: 1, product_id: 1, quantity: 2 },
    { id: 2, order_id: 1, product_id: 2, quantity: 9 },
    { id: 3, order_id: 2, product_id: 4, quantity: 6 },
    { id: 4, order_id: 3, product_id: 1, quantity: 1 },
    { id: 5, order_id: 3, product_id: 3, quantity: 7 },
  ],
  labels: [
    { id: 1, name: 'new' },
    { id: 2, name: 'draft only' },
  ],
  product_labels: [
    { product_id: 1, label_id: 1 },
    { product_id: 2, label_id: 1 },
    { product_id: 2, label_id: 2 },
  ],
};
