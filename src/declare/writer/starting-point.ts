/** A template for a declaration: one collection, with other features in comments. */
import type { Collection } from '../../collection/declaration.ts';
import { printCollection } from './write.ts';

/** `file` is the name it will get. */
export function startingPoint(collection: Collection, file: string): string {
  return `# The collections of this catalogue, each at the path of its name. To validate this file: catalogue check ${file}
# For completion in an editor, save the schema: catalogue declare --json-schema > collections.schema.json
# Then begin this file with the next line, without its first #:
# # yaml-language-server: $schema=collections.schema.json

collections:
${printCollection(collection.draft)}${moreFields(collection)}${moreCollections(collection)}${someRoles(collection)}`;
}

/** Each comment works when uncommented; a test does that. */
function moreFields({ name, key }: Collection): string {
  return `
      # More fields as examples; remove the # of those that you need.
      # sku: { type: text, unique: true, pattern: '^[A-Z]-[0-9]{4}$' }
      # label: { type: text, title: Label, maxLength: 40 }
      # status: { type: text, required: true, default: draft, oneOf: [draft, live, retired] }
      # available: { type: boolean, required: true, default: true }
      # weight: { type: float8, minimum: 0, maximum: 1000 }
      # list_price: { type: 'decimal(12,2)', minimum: 0, indexed: true }
      # barcode: int8
      # tags: 'text[]'
      # image_urls: 'text[]'
      # attributes: json
      # released: date
      # created_at: { type: timestamptz, required: true, default: now }
      # updated_at: { type: timestamptz, default: now, onUpdate: now }
      # uid: { type: uuid, required: true, default: uuid, unique: true }
      # maker_id: { type: int4, references: makers, indexed: true }
      # followed_by: { type: ${key[0]!.type.name}, references: { collection: ${name}, onDelete: set null } }
`;
}

function moreCollections({ name, key }: Collection): string {
  return `
  # Another collection, at /makers. Its rows are stored when its table is created.
  # makers:
  #   title: Makers
  #   description: The makers of the ${name}.
  #   fields:
  #     id: int4
  #     maker_name: { type: text, required: true }
  #     country: { type: text, indexed: true }
  #   unique: [[maker_name, country]]
  #   rows: makers.csv

  # A collection with a key of two fields: the markets of an item.
  # sold_in:
  #   key: [item_id, market]
  #   fields:
  #     item_id: { type: ${key[0]!.type.name}, references: { collection: ${name}, onDelete: cascade } }
  #     market: { type: text, pattern: '^[A-Z]{2}$' }
  #     since: date
`;
}

function someRoles({ name, key }: Collection): string {
  const first = key[0]!.name;
  return `
# Permissions. Without roles, every client may do everything.
# roles:
#   anonymous:
#     ${name}: { read: { where: '${first}=not.is.null', fields: [${key.map((field) => field.name).join(', ')}] } }
#   editor:
#     include: [anonymous]
#     ${name}: { read: true, create: true, update: true, delete: true }
#   admin: all
`;
}
