/** The JSON Schema of a field: the schema of its type with the rules of the field. */
import { defined } from '../base/defined.ts';
import { unlessThrown } from '../base/errors.ts';
import type { Field } from '../collection/declaration.ts';
import { parseJson } from '../collection/exact-json.ts';
import type { Value } from '../collection/value.ts';
import type { Json, JsonObject } from './component.ts';

export function valueSchema(field: Field): JsonObject {
  const { type, ...bounds } = withoutImpliedBounds(field.type.schema as JsonObject);
  const schema = { ...defined({ title: field.title }), ...bounds, ...rulesOf(field) };
  if (type === undefined) return schema;
  return { type: field.required ? type : [...[type].flat(), 'null'], ...schema };
}

/** The formats of whole numbers imply their bounds. */
function withoutImpliedBounds(schema: JsonObject): JsonObject {
  const { minimum: _, maximum: __, ...rest } = schema;
  return typeof schema.format === 'string' && /^int\d+$/.test(schema.format) ? rest : schema;
}

/** The schema without the example and the bounds of its type, which the schema of a row has. */
export function briefSchema(field: Field): JsonObject {
  const { title: _, examples: __, ...schema } = valueSchema(field);
  const rules = rulesOf(field);
  return Object.fromEntries(
    Object.entries(schema).filter(([name]) => !['minimum', 'maximum'].includes(name) || name in rules),
  );
}

function rulesOf(field: Field): JsonObject {
  const { minimum, maximum, maxLength, pattern, oneOf, maxCount: maxItems } = field.rules;
  // JSON Schema has ECMAScript's regular expressions.
  const isPortable = pattern !== undefined && unlessThrown(() => new RegExp(pattern, 'u')) !== undefined;
  return defined({
    minimum: bound(field, minimum),
    maximum: bound(field, maximum),
    maxLength,
    maxItems,
    pattern: isPortable ? pattern : undefined,
    enum: oneOf && [...oneOf.map((value) => jsonOf(field, value)), ...(field.required ? [] : [null])],
  });
}

/** JSON Schema has bounds for numbers only. */
function bound(field: Field, value: Value | undefined): number | undefined {
  const limit = value === undefined ? null : jsonOf(field, value);
  return typeof limit === 'number' ? limit : undefined;
}

/** The rules that JSON Schema cannot express, in words. */
export function ruleWords(field: Field): string[] {
  const said = rulesOf(field);
  const { minimum, maximum, pattern } = field.rules;
  const { mediaTypes, maxBytes } = field.file ?? {};
  const { print } = field.type;
  return [
    ...(minimum === undefined || 'minimum' in said ? [] : [`At least ${print(minimum)}.`]),
    ...(maximum === undefined || 'maximum' in said ? [] : [`At most ${print(maximum)}.`]),
    ...(pattern === undefined || 'pattern' in said ? [] : [`Matches \`${pattern}\`.`]),
    ...(mediaTypes === undefined ? [] : [`Files of ${mediaTypes.join(', ')}.`]),
    ...(maxBytes === undefined ? [] : [`Files of at most ${maxBytes} bytes.`]),
  ];
}

/** A stored value as answers contain it. */
export function jsonOf({ type }: Field, value: Value): Json {
  return value === null ? null : (parseJson(type.json(value)) as Json);
}
