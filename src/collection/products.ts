/** The built-in product collection, the only place that names its fields. A new field is one line here. */
import { declareCollection } from './declaration.ts';

export const products = declareCollection({
  name: 'products',
  key: ['id'],
  fields: [
    { name: 'id', type: 'int4', description: 'Identifier of the product; assigned when absent.' },
    {
      name: 'product_name',
      type: 'text',
      role: 'title',
      indexed: true,
      required: true,
      description: 'Name of the product.',
    },
    {
      name: 'discontinued',
      type: 'int4',
      role: 'flag',
      required: true,
      default: 0,
      description: '0 means not discontinued.',
    },
    { name: 'supplier_id', type: 'int4', indexed: true, description: 'Reference to a supplier.' },
    { name: 'category_id', type: 'int4', role: 'group', indexed: true, description: 'Reference to a category.' },
    { name: 'quantity_per_unit', type: 'text', description: 'Free text describing the quantity per unit.' },
    { name: 'unit_price', type: 'decimal(12,4)', role: 'price', indexed: true, description: 'Price per unit.' },
    { name: 'units_in_stock', type: 'int4', role: 'stock', description: 'Units in stock.' },
    { name: 'units_on_order', type: 'int4', description: 'Units on order.' },
    { name: 'reorder_level', type: 'int4', role: 'threshold', description: 'Stock level at which to reorder.' },
  ],
});
