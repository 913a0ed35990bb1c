/** Prints a syntax tree as a query string. Parsing the result gives the same tree. */
import { AFTER, isLogicKey } from './logic.ts';
import { quote } from './names.ts';
import { isParameter } from './query.ts';
import type {
  Aggregate,
  Condition,
  EmbedParameters,
  FacetTerm,
  FieldPath,
  OrderTerm,
  Query,
  SelectItem,
  Test,
} from './tree.ts';

/** The whole query, percent-encoded, without defaults. */
export function printQuery(query: Query): string {
  const pairs = query.conditions.map(printTopLevel);
  const isWhole = query.select.length === 1 && query.select[0]!.kind === 'all';
  if (!isWhole) pairs.push(['select', query.select.map(printItem).join(',')]);
  if (query.order.length > 0) pairs.push(['order', query.order.map(printOrderTerm).join(',')]);
  for (const [way, terms] of query.embeds ?? []) pairs.push(...printEmbedParameters(way, terms));
  if (query.columns !== undefined) pairs.push(['columns', query.columns.map(printName).join(',')]);
  if (query.onConflict !== undefined) pairs.push(['on_conflict', query.onConflict.map(printName).join(',')]);
  if (query.facets !== undefined && query.facets.length > 0)
    pairs.push(['facets', query.facets.map(printFacet).join(',')]);
  if (query.limit !== undefined) pairs.push(['limit', String(query.limit)]);
  if (query.offset !== undefined) pairs.push(['offset', String(query.offset)]);
  return pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&');
}

/** One condition as a parameter, percent-encoded. */
export function printCondition(condition: Condition): string {
  const [key, value] = printTopLevel(condition);
  return `${encode(key)}=${encode(value)}`;
}

function printTopLevel(condition: Condition): [key: string, value: string] {
  if (condition.kind === 'comparison') {
    return [printField(condition.field), printTest(condition.negated, condition.test, (value) => value)];
  }
  const { negated, joiner, terms, after } = condition;
  return [after === true ? AFTER : `${negated ? 'not.' : ''}${joiner}`, `(${terms.map(printTerm).join(',')})`];
}

function printTerm(condition: Condition): string {
  if (condition.kind === 'comparison') {
    return `${printField(condition.field)}.${printTest(condition.negated, condition.test, quoteInLogic)}`;
  }
  const [key, value] = printTopLevel(condition);
  return `${key}${value}`;
}

function printTest(negated: boolean, test: Test, quote: (value: string) => string): string {
  const not = negated ? 'not.' : '';
  switch (test.kind) {
    case 'in':
      return `${not}in.${printList(test.values)}`;
    case 'is':
      return `${not}is.${test.value}`;
    case 'unknown':
      return `${not}eq(any).{NULL}`;
    case 'search':
      return `${not}${test.operator}${test.config === undefined ? '' : `(${test.config})`}.${quote(test.query)}`;
    case 'value':
      return `${not}${test.operator}${test.quantifier === undefined ? '' : `(${test.quantifier})`}.${quote(test.value)}`;
  }
}

/** A list in the syntax of `in`. */
export function printList(values: readonly string[]): string {
  return `(${values.map(quoteInList).join(',')})`;
}

function printItem(item: SelectItem): string {
  switch (item.kind) {
    case 'all':
      return '*';
    case 'embed': {
      const hints = `${item.hint === undefined ? '' : `!${printName(item.hint)}`}${item.inner ? '!inner' : ''}`;
      const before = item.spread ? '...' : printAlias(item.alias);
      return `${before}${printName(item.name)}${hints}(${item.select.map(printItem).join(',')})`;
    }
    case 'count':
      return `${printAlias(item.alias)}count()${printCast(item.cast)}`;
    case 'column': {
      const aggregate =
        item.aggregate === undefined ? '' : `.${printAggregate(item.aggregate)}${printCast(item.aggregateCast)}`;
      return `${printAlias(item.alias)}${printField(item.field)}${printCast(item.cast)}${aggregate}`;
    }
  }
}

function printAlias(alias: string | undefined): string {
  return alias === undefined ? '' : `${printName(alias)}:`;
}

function printCast(cast: string | undefined): string {
  return cast === undefined ? '' : `::${cast}`;
}

function printEmbedParameters(way: string, { conditions, order, limit, offset }: EmbedParameters): [string, string][] {
  const pairs = conditions.map(printTopLevel);
  if (order.length > 0) pairs.push(['order', order.map(printOrderTerm).join(',')]);
  if (limit !== undefined) pairs.push(['limit', String(limit)]);
  if (offset !== undefined) pairs.push(['offset', String(offset)]);
  return pairs.map(([key, value]) => [`${way}.${key}`, value]);
}

function printOrderTerm({ embed, field, descending, nulls }: OrderTerm): string {
  const way = embed ?? field.figure?.embed;
  const name = way === undefined ? printField(field) : `${printName(way)}(${printValue(field)})`;
  return `${name}${descending ? '.desc' : ''}${nulls === undefined ? '' : `.nulls${nulls}`}`;
}

function printFacet({ name, limits, within }: FacetTerm): string {
  if (within === true) return `${name}(within)`;
  return limits === undefined ? name : `${name}${printList(limits)}`;
}

function printField(path: FieldPath): string {
  return path.figure === undefined ? printValue(path) : `${printName(path.figure.embed)}.${printValue(path)}`;
}

/** The field and its aggregate, without the relation that leads to it. */
function printValue({ name, json, figure }: FieldPath): string {
  if (name === '') return 'count()';
  const field = `${printName(name)}${json.map(({ arrow, key }) => `${arrow}${printName(key)}`).join('')}`;
  return figure === undefined ? field : `${field}.${printAggregate(figure.aggregate)}`;
}

function printAggregate(aggregate: Aggregate): string {
  return aggregate === 'distinct' ? 'count(distinct)' : `${aggregate}()`;
}

/** Quotes a name unless it is plain and unambiguous. */
export function printName(name: string): string {
  const isPlain = /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) && !isParameter(name) && !isLogicKey(name) && name !== 'not';
  return isPlain ? name : quote(name);
}

function quoteInList(value: string): string {
  return /[,()"\\]/.test(value) || value === '' ? quote(value) : value;
}

/** A list in braces is parsed as a whole; any other brace needs quotes. */
export function quoteInLogic(value: string): string {
  if (/^\{[^{}]*\}$/.test(value)) return value;
  return /[{}]/.test(value) ? quote(value) : quoteInList(value);
}

/** Keeps characters that a query string allows, so that links stay readable. */
function encode(text: string): string {
  if (/^[\w.~()*'!,:$@/-]*$/.test(text)) return text;
  return encodeURIComponent(text).replace(/%(2C|3A|24|40|2F)/g, (escaped) => decodeURIComponent(escaped));
}
