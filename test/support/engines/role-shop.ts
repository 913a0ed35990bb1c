/** A small shop with roles for tests: a visitor, a supplier, a writer and an editor. */
import type { Row } from '../../../src/collection/value.ts';
import { declaredBy } from './roles.ts';

export const ROLE_SHOP_YAML = `
collections:
  suppliers:
    fields: { id: int4, name: { type: text, required: true }, bank_account: text }
  categories:
    fields: { id: int4, name: { type: text, required: true, unique: true }, hidden: { type: boolean, required: true, default: false } }
  products:
    unique: [[shelf, place]]
    fields:
      id: int4
      name: { type: text, required: true }
      sku: { type: text, unique: true }
      price: 'decimal(12,2)'
      cost: 'decimal(12,2)'
      stock: int4
      shelf: text
      place: int4
      discontinued: { type: int4, required: true, default: 0 }
      category_id: { type: int4, references: categories }
      supplier_id: { type: int4, references: suppliers }
  tags:
    fields: { id: int4, name: text }
  product_tags:
    key: [product_id, tag_id]
    fields:
      product_id: { type: int4, references: { collection: products, onDelete: cascade } }
      tag_id: { type: int4, references: tags }
      draft: { type: boolean, required: true, default: false }
roles:
  anonymous:
    products: { read: { where: 'discontinued=eq.0', fields: [id, name, price, category_id] } }
    categories: { read: { where: 'hidden=is.false', fields: [id, name] } }
    tags: { read: true }
    product_tags: { read: { where: 'draft=is.false' } }
    changes: { read: { fields: [seq, at, role, request_id, collection, key, kind, before, after] } }
  supplier:
    products:
      read: { where: 'supplier_id=eq.{claims.supplier_id}', fields: [id, name, sku, stock, supplier_id] }
      create: { where: 'supplier_id=eq.{claims.supplier_id}', fields: [name, sku, supplier_id, shelf, place] }
      update: { where: 'supplier_id=eq.{claims.supplier_id}&discontinued=eq.0', fields: [name, sku, stock, supplier_id, shelf] }
      delete: { where: 'stock=eq.0' }
    suppliers: { read: { where: 'id=eq.{claims.supplier_id}', fields: [id, name] } }
    changes: { read: { fields: [seq, at, role, request_id, collection, key, kind, before, after] } }
  buyer:
    include: [anonymous]
    products: { read: { where: 'category_id=in.({claims.app.categories})' } }
  inbox:
    products: { create: { where: 'discontinued=eq.1', fields: [name, discontinued] } }
  editor:
    products: { read: { where: 'discontinued=eq.0' }, create: true, update: true, delete: true }
    categories: { read: true, create: true, update: true, delete: true }
    suppliers: { read: { fields: [id, name] }, delete: true }
  stocker:
    products: { read: true, update: { where: 'category_id=eq.1', fields: [stock] } }
  pricer:
    products: { update: { where: 'category_id=eq.3', fields: [stock, price] } }
  clerk:
    include: [stocker, pricer]
  admin: all
`;

export const ROLE_SHOP = declaredBy(ROLE_SHOP_YAML);

const product = (id: number, name: string, more: Partial<Row>): Row =>
  ({
    id,
    name,
    sku: `s-${id}`,
    price: id,
    cost: id / 2,
    stock: id * 10,
    shelf: null,
    place: null,
    discontinued: 0,
    category_id: 1,
    supplier_id: 1,
    ...more,
  }) as Row;

export const ROLE_SHOP_ROWS: Readonly<Record<string, readonly Row[]>> = {
  suppliers: [
    { id: 1, name: 'Leaf', bank_account: 'DE-1' },
    { id: 2, name: 'Bean', bank_account: 'DE-2' },
    { id: 3, name: 'Nobody', bank_account: 'DE-3' },
  ],
  categories: [
    { id: 1, name: 'Tea', hidden: false },
    { id: 2, name: 'Secret', hidden: true },
    { id: 3, name: 'Coffee', hidden: false },
  ],
  products: [
    product(1, 'Assam', { stock: 0 }),
    product(2, 'Sencha', { category_id: 2 }),
    product(3, 'Old tea', { discontinued: 1, category_id: 3, shelf: 'A', place: 7 }),
    product(4, 'Espresso', { supplier_id: 2, category_id: 3 }),
    product(5, 'Old bean', { supplier_id: 2, discontinued: 1, category_id: 3 }),
  ],
  tags: [
    { id: 1, name: 'new' },
    { id: 2, name: 'best' },
  ],
  product_tags: [
    { product_id: 1, tag_id: 1, draft: false },
    { product_id: 1, tag_id: 2, draft: true },
    { product_id: 3, tag_id: 2, draft: false },
    { product_id: 4, tag_id: 2, draft: false },
  ],
};
