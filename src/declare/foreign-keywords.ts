/** Keywords of other databases and formats. */
const FOREIGN_KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  required: ['nullable', 'null', 'notnull', 'optional', 'mandatory'],
  key: ['primarykey', 'pk', 'identity'],
  references: ['foreignkey', 'fk', 'ref', 'relation'],
  oneOf: ['enum', 'values', 'choices', 'options'],
  minimum: ['min', 'gte'],
  maximum: ['max', 'lte'],
  maxLength: ['length', 'size'],
  pattern: ['regex', 'regexp', 'format'],
  fields: ['columns', 'properties', 'attributes'],
  rows: ['data', 'seed', 'file'],
  title: ['label'],
  description: ['comment'],
  read: ['select', 'get', 'list', 'view'],
  create: ['insert', 'add', 'post'],
  update: ['write', 'edit', 'patch', 'change'],
  delete: ['remove', 'destroy'],
  where: ['filter', 'condition', 'using', 'check'],
  include: ['inherits', 'extends'],
};

/** Our keyword for one of another format, among those available. */
export function ourKeyword(key: string, names: readonly string[]): string | undefined {
  const word = key.toLowerCase().replaceAll(/[_ -]/g, '');
  return names.find((name) => FOREIGN_KEYWORDS[name]?.includes(word) === true);
}
