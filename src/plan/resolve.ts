/** Names become fields; a name that is none is refused, with the nearest one as a hint. */
import { type Collection, type Field, fieldNamed } from '../collection/declaration.ts';
import { FIELD_TYPES } from '../collection/field-types.ts';
import type { FieldPath } from '../dialect/tree.ts';
import { Refusal } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import type { Expression } from './types.ts';

export function resolveField(collection: Collection, name: string): Field {
  const field = fieldNamed(collection, name);
  if (field !== undefined) return field;
  throw new Refusal('42703', `column ${collection.name}.${name} does not exist`, {
    hint: nearestHint(collection, name),
  });
}

/**
 * A field, or null where the client reaches into it as JSON: a number has nothing inside, as PostgreSQL's
 * `to_jsonb(1)->'x'`. Into text nobody can reach.
 */
export function resolvePath(collection: Collection, { name, json }: FieldPath): Expression {
  const field = resolveField(collection, name);
  const last = json.at(-1);
  if (last === undefined) return { kind: 'field', field, type: field.type };
  if (field.type === 'text') {
    throw new Refusal('42883', `operator does not exist: text ${json[0]!.arrow} unknown`, {
      hint: `${name} is text, not JSON: there is nothing inside to select.`,
    });
  }
  return { kind: 'null', type: last.arrow === '->>' ? 'text' : 'json' };
}

export function titleOf(field: Field): string {
  return FIELD_TYPES[field.type].title;
}

export function nearestHint(collection: Collection, name: string): string {
  const names = collection.fields.map((field) => field.name);
  const ordered = SQL_ORDER.exec(name);
  if (ordered !== null && names.includes(ordered[1]!)) {
    const term = name.toLowerCase().replace('nulls ', 'nulls').replaceAll(' ', '.');
    return `A dot stands between a field and its direction: write order=${term}.`;
  }
  const nearest = nearestName(name, names);
  return nearest === undefined ? `The fields are ${names.join(', ')}.` : `Perhaps you meant the field '${nearest}'.`;
}

/** `unit_price desc nulls last`: an order in the words of SQL. */
const SQL_ORDER = /^(\w+)(?: (?:asc|desc))?(?: nulls ?(?:first|last))?$/i;
