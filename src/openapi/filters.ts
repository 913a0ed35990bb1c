/** Filters as query parameters: one per field, and the logic that joins them. Each may be repeated. */

import { MAX_CONDITIONS, MAX_LIST_VALUES, MAX_LOGIC_DEPTH } from '../base/limits/http.ts';
import type { Collection, Field } from '../collection/declaration.ts';
import { AFTER, LOGIC_KEYS } from '../dialect/logic.ts';
import { OPERATORS, type OperatorName, type OperatorRules, servesType } from '../dialect/operators.ts';
import { printList, printName, quoteInLogic } from '../dialect/print.ts';
import { IS_VALUES } from '../dialect/tree.ts';
import { componentName, own } from './component.ts';
import type { JsonObject } from './json.ts';
import { type Samples, sampleText, textIn } from './samples.ts';

/** How to give several conditions on one field. A client that sends each parameter once uses `and`. */
const REPEATED = 'May be repeated; all must hold. A client that sends it once can use `and=(field.gt.1,field.lt.9)`.';

/** The operators that the type of a field allows. */
function operatorsFor(field: Field): readonly [OperatorName, OperatorRules][] {
  return (Object.entries(OPERATORS) as [OperatorName, OperatorRules][]).filter(([, rules]) =>
    servesType(rules, field.type),
  );
}

/** A generator, because a collection can have more than a thousand fields. */
export function* filterParameters(collection: Collection, samples: Samples): Generator<[string, JsonObject]> {
  for (const field of collection.fields) yield [filterName(field), filterParameter(field, sampleText(samples, field))];
}

/** The names of all filters in `components.parameters`. */
export function filterNames(collection: Collection): readonly string[] {
  return [...collection.fields.map(filterName), ...LOGIC_KEYS, AFTER].map((name) => own(collection, name));
}

function filterName(field: Field): string {
  return `filter.${componentName(field.name)}`;
}

function filterParameter(field: Field, sample: string): JsonObject {
  const operators = operatorsFor(field);
  const names = operators.map(([name]) => name).join('|');
  const rows = operators.map(([name, { meaning }]) => `| \`${name}\` | ${meaning} |`).join('\n');
  const examples = operators.map(([name, rules]) => [name, { value: `${name}.${exampleValue(rules, sample)}` }]);
  return repeatable(
    printName(field.name),
    `Only rows whose ${field.name} passes the test \`[not.]operator.value\`. ${REPEATED}

| operator | the field |
|---|---|
${rows}

Lists hold up to ${MAX_LIST_VALUES} values; \`is\` takes ${IS_VALUES.join(', ')}.`,
    { pattern: `^(not\\.)?(${names})(\\([^)]*\\))?\\.` },
    Object.fromEntries(examples),
  );
}

export function logicParameters({ key: [key], fields }: Collection, samples: Samples): Record<string, JsonObject> {
  const named = key ?? fields[0]!;
  const conditions = samples.map((sample) => `${printName(named.name)}.eq.${quoteInLogic(textIn(sample, named))}`);
  const description = `Conditions \`field.[not.]operator.value\`, nested with and(…), or(…), not.and(…), not.or(…): up to ${MAX_LOGIC_DEPTH} deep and ${MAX_CONDITIONS} in all. May be repeated; all must hold.`;
  const examples = { example: { value: `(${conditions.join(',')})` } };
  const after = 'The start of a page, from the link `next` of the previous page: conditions as in `and`.';
  return {
    ...Object.fromEntries(LOGIC_KEYS.map((name) => [name, repeatable(name, description, {}, examples)])),
    [AFTER]: repeatable(AFTER, after, {}, examples),
  };
}

/** A parameter that may be repeated: `name=one&name=other`. A plain string, because most requests have it once. */
function repeatable(name: string, description: string, item: JsonObject, examples: JsonObject): JsonObject {
  return {
    name,
    in: 'query',
    description,
    style: 'form',
    explode: true,
    schema: { type: 'string', ...item },
    examples,
  };
}

function exampleValue({ form, symbol }: OperatorRules, sample: string): string {
  if (form === 'list') return printList([sample]);
  if (form === 'keyword') return 'null';
  if (form === 'search') return /\p{L}+/u.exec(sample)?.[0].toLowerCase() ?? 'word';
  // Letters and digits are literal in every kind of pattern.
  const beginning = /^[\p{L}\p{N}]{1,2}/u.exec(sample)?.[0] ?? '';
  if (symbol.startsWith('~~')) return `${beginning}*`;
  return symbol.startsWith('~') ? `^${beginning}` : sample;
}
