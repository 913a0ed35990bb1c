/** The built-in product collection, the only place that names its fields. A new field is one line here. */
import { declareCollection } from './declaration.ts';
import { fieldDrafts } from './draft.ts';

export const products = declareCollection({
  name: 'products',
  key: ['id'],
  fields: fieldDrafts({
    id: { type: 'int4', description: 'Identifier of the product; assigned when absent.' },
    product_name: { type: 'text', role: 'title', indexed: true, required: true, description: 'Name of the product.' },
    discontinued: { type: 'int4', role: 'flag', required: true, default: 0, description: '0 means not discontinued.' },
    supplier_id: { type: 'int4', indexed: true, description: 'Reference to a supplier.' },
    category_id: { type: 'int4', role: 'group', indexed: true, description: 'Reference to a category.' },
    quantity_per_unit: { type: 'text', description: 'Free text describing the quantity per unit.' },
    unit_price: { type: 'decimal(12,4)', role: 'price', indexed: true, description: 'Price per unit.' },
    units_in_stock: { type: 'int4', role: 'stock', description: 'Units in stock.' },
    units_on_order: { type: 'int4', description: 'Units on order.' },
    reorder_level: { type: 'int4', role: 'threshold', description: 'Stock level at which to reorder.' },
  }),
});
