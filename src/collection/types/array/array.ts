/** Arrays of any other type. The value is PostgreSQL's JSON text of the array: nested lists are its dimensions. */
import { ApiError } from '../../../base/errors.ts';
import { jsonText, parseJson } from '../../exact-json.ts';
import type { Value } from '../../value.ts';
import { keyCount, keyPart } from '../compare.ts';
import { LIST_OPERATIONS, type Operations } from '../operations.ts';
import { type Containment, defineType, itself, type JsonSchema, storeJson, type Type } from '../type.ts';
import { parseArrayLiteral, printArrayLiteral } from './array-literal.ts';
import { type Elements, elementsOf, type Nested, printLists } from './array-shape.ts';

export function arrayOf(element: Type): Type {
  const name = `${element.name}[]`;
  const read = (text: string): Value => fromTexts(element, parseArrayLiteral(text), element.read);
  const store = (text: string): Value => fromTexts(element, parseArrayLiteral(text), element.store);
  const literal = (value: Value): string => {
    const { items, sizes } = itemsOf(element, value);
    return printArrayLiteral({ items: items.map((item) => (item === null ? null : element.print(item))), sizes });
  };
  return defineType({
    name,
    kind: `${element.kind}[]`,
    title: `${element.title}[]`,
    abilities: ['array'],
    element,
    read,
    store,
    storeJson: (json) => (typeof json === 'string' ? store(json) : fromJson(element, json)),
    print: literal,
    json: String,
    key: (value) => keyOf(element, itemsOf(element, value)),
    aggregates: { max: name, min: name },
    contains: (operator, value) => containment(element, operator, value),
    operations: arrayOperations(element),
    sqlite: { column: 'text', keyed: true, json: itself, check: (sql) => `json_type(${sql}) = 'array'` },
    postgres: {
      name: `${element.postgres.unbounded ?? element.postgres.name}[]`,
      ...(element.postgres.collated === true ? { collated: true } : {}),
      bind: literal,
    },
    schema: { type: 'array', items: itemSchema(element), examples: [[]] },
    typescript: `${element.typescript}[]`,
    ...(element.declares === undefined ? {} : { declares: element.declares }),
    input: 'list',
  });
}

/** Elements may be null. The schema does not describe further dimensions. */
function itemSchema({ schema: { examples: _, ...schema } }: Type): JsonSchema {
  return schema.type === undefined ? schema : { ...schema, type: [...[schema.type].flat(), 'null'] };
}

function fromTexts(element: Type, { items, sizes }: Elements<string | null>, read: Type['read']): string {
  return printed(element, { items: items.map((text) => (text === null ? null : read(text))), sizes });
}

function fromJson(element: Type, json: unknown): string {
  if (!Array.isArray(json)) throw expectedArray();
  const { items, sizes } = elementsOf(json as Nested<unknown>, (isList) =>
    isList
      ? new ApiError('22P02', 'malformed JSON array', {
          details: 'Multidimensional arrays must have sub-arrays with matching dimensions.',
        })
      : expectedArray(),
  );
  return printed(element, { items: items.map((item) => storeJson(element, item)), sizes });
}

function expectedArray(): ApiError {
  return new ApiError('22P02', 'expected JSON array', { hint: 'Send a list, such as ["a", "b"], or {a,b} as a text.' });
}

function printed(element: Type, { items, sizes }: Elements<Value>): string {
  const texts = items.map((item) => {
    const text = item === null ? 'null' : element.json(item);
    if (!text.startsWith('[')) return text;
    throw new ApiError('22P02', 'a list inside an array is a dimension of it, and cannot be an element');
  });
  return printLists({ items: texts, sizes }, '[', ']');
}

/** Converts the elements of an array. */
export function mapArray(from: Type, to: Type, array: Value, map: (item: Value) => Value): string {
  const { items, sizes } = itemsOf(from, array);
  return printed(to, { items: items.map((item) => (item === null ? null : map(item))), sizes });
}

function itemsOf(element: Type, value: Value): Elements<Value> {
  const { items, sizes } = elementsOf(
    parseJson(String(value)) as Nested<unknown>,
    () => new ApiError('22P02', 'malformed array'),
  );
  return { items: items.map((item) => (item === null ? null : itemOf(element, item))), sizes };
}

/** An element to compare with; it need not be storable. */
function itemOf(element: Type, json: unknown): Value {
  if (element.storeJson !== undefined) return element.storeJson(json);
  return element.read(typeof json === 'string' ? json : jsonText(json));
}

/** The sort key: the elements, null last; then the number of elements and dimensions. */
function keyOf(element: Type, { items, sizes }: Elements<Value>): string {
  const parts = items.map((item) => (item === null ? '2' : `1${keyPart(element.key(item))}`));
  return `${parts.join('')}0${keyCount(sizes.length)}${sizes.map(keyCount).join('')}`;
}

/** Null is not contained in anything and contains nothing. */
function containment(element: Type, operator: Containment, value: Value): (tested: Value) => boolean {
  const keysOf = (array: Value) => {
    const { items } = itemsOf(element, array);
    return {
      keys: new Set(items.flatMap((item) => (item === null ? [] : element.key(item)))),
      hasNull: items.includes(null),
    };
  };
  const other = keysOf(value);
  const tests: Readonly<Record<Containment, (tested: ReturnType<typeof keysOf>) => boolean>> = {
    cs: ({ keys }) => !other.hasNull && other.keys.isSubsetOf(keys),
    cd: ({ keys, hasNull }) => !hasNull && keys.isSubsetOf(other.keys),
    ov: ({ keys }) => !other.keys.isDisjointFrom(keys),
  };
  return (tested) => tests[operator](keysOf(tested));
}

/** An operand is one element or a list of them. */
function arrayOperations(element: Type): Operations {
  return {
    names: LIST_OPERATIONS,
    operandType: `${element.name}[]`,
    operandWords: 'an element or a list of elements',
    read: (json) => {
      const list: readonly unknown[] = Array.isArray(json) ? json : [json];
      return list.some(Array.isArray) ? undefined : fromJson(element, list);
    },
    apply: (value, { operation, operand }) => {
      const [array, other] = [itemsOf(element, value), itemsOf(element, operand)];
      return printed(element, operation === 'append' ? append(array, other) : remove(element, array, other));
    },
    postgres: (column, { operation }, operand) => {
      // PostgreSQL appends to null as to an empty array.
      if (operation === 'append') return `case when ${column} is not null then ${column} || ${operand} end`;
      const isRemoved = `exists (select from unnest(${operand}) as removed (item) where removed.item is not distinct from items.item)`;
      const rest = `array(select item from unnest(${column}) with ordinality as items (item, place) where not ${isRemoved} order by place)`;
      // PostgreSQL rejects an array of several dimensions here.
      return `case when array_ndims(${column}) > 1 then array_remove(${column}, null) when ${column} is not null then ${rest} end`;
    },
  };
}

type Items = Elements<Value>;

/** As PostgreSQL's `||`: a list also becomes the next row of an array of lists. */
function append(array: Items, list: Items): Items {
  if (list.items.length === 0) return array;
  if (array.items.length === 0) return list;
  const [count, ...rest] = array.sizes;
  const items = [...array.items, ...list.items];
  if (rest.length === 0) return { items, sizes: [items.length] };
  if (rest.length === 1 && rest[0] === list.items.length) return { items, sizes: [count! + 1, ...rest] };
  throw new ApiError('2202E', 'cannot concatenate incompatible arrays', {
    details:
      rest.length === 1
        ? 'Arrays with differing dimensions are not compatible for concatenation.'
        : `Arrays of ${rest.length + 1} and 1 dimensions are not compatible for concatenation.`,
  });
}

function remove(element: Type, { items, sizes }: Items, list: Items): Items {
  if (sizes.length > 1) {
    throw new ApiError('0A000', 'removing elements from multidimensional arrays is not supported');
  }
  const keyOfItem = (item: Value) => (item === null ? null : element.key(item));
  const removed = new Set(list.items.map(keyOfItem));
  const rest = items.filter((item) => !removed.has(keyOfItem(item)));
  return { items: rest, sizes: [rest.length] };
}
