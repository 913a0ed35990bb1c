/** Values that an insert copies from referenced rows: `default: '{product_id.price}'`. */
import type { Collection, Field } from '../../collection/declaration.ts';
import { identifier } from './statement.ts';

/** The given value, or else that of the referenced row. `given` is the SQL of a value of the new row, by field. */
export function orCopied({ references, among }: Collection, field: Field, given: (name: string) => string): string {
  const { name, copies } = field;
  if (copies === undefined) return given(name);
  const { to } = references.find((reference) => reference.field.name === copies.by)!;
  const column = (each: string) => `" copied".${identifier(each)}`;
  const isReferenced = `${column(among.get(to)!.key[0]!.name)} = ${given(copies.by)}`;
  return `coalesce(${given(name)}, (select ${column(copies.field)} from ${identifier(to)} as " copied" where ${isReferenced}))`;
}
