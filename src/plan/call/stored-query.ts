/**
 * A stored query: a request of the declaration with parameters as values. It is parsed once. A call replaces the values
 * in the syntax tree, so an argument is never parsed as a part of the request.
 */
import { defined } from '../../base/defined.ts';
import { ApiError } from '../../base/errors.ts';
import { memoize } from '../../base/memo.ts';
import { say } from '../../base/sentence.ts';
import type { Collection, StoredQuery } from '../../collection/declaration.ts';
import { SEARCH } from '../../collection/search-fields.ts';
import { parseArrayLiteral, printArrayLiteral } from '../../collection/types/array/array-literal.ts';
import { movingWord } from '../../collection/types/time/moving-moment.ts';
import { can } from '../../collection/types/type.ts';
import type { Refinement } from '../../dialect/call-query.ts';
import { type Page, parseQuery } from '../../dialect/query.ts';
import type { Condition, EmbedParameters, Query, Test } from '../../dialect/tree.ts';
import type { Permissions } from '../access/permissions.ts';
import { mapValues, valuesOf, wordIn } from '../access/rule.ts';
import { planRead } from '../read/read.ts';
import { relate } from '../read/relate.ts';
import { withScore } from '../read/search.ts';
import { resolvePath } from '../resolve.ts';
import type { ReadPlan } from '../types.ts';
import type { Argument } from './arguments.ts';

/** Arguments by the name of their placeholder. */
type Arguments = Pick<ReadonlyMap<string, Argument>, 'get'>;

export const storedRequest = memoize(({ query }: StoredQuery): Query => parseQuery(query));

/** The request of a call: `select`, `order`, `limit` and `offset` of the call replace those of the stored query. */
export function refineStored(
  routine: StoredQuery,
  given: Arguments,
  asked: Refinement,
): { readonly query: Query; readonly within: Query } {
  const within = bindArguments(storedRequest(routine), given);
  const { selects, ...own } = asked;
  const query: Query = {
    ...own,
    ...defined({ limit: own.limit ?? within.limit, offset: own.offset ?? within.offset }),
    order: own.order.length > 0 || (selects && !keepsOrder(within, own)) ? own.order : within.order,
    ...(selects ? {} : { select: within.select, ...mergedEmbeds(within, own) }),
  };
  return { query, within: defined({ ...within, language: own.language }) };
}

/** Groups and rows without the embedding have no fields to sort by. */
function keepsOrder({ order }: Query, { select }: Query): boolean {
  const isGrouped = select.some((item) => item.kind === 'count' || ('aggregate' in item && item.aggregate));
  return !isGrouped && order.every((term) => (term.embed ?? term.field.figure) === undefined);
}

function mergedEmbeds({ embeds: stored }: Query, { embeds: own }: Query): Pick<Query, 'embeds'> {
  if (stored === undefined) return {};
  const merged = new Map<string, EmbedParameters>(stored);
  for (const [way, terms] of own ?? []) {
    const earlier = stored.get(way);
    const order = terms.order.length > 0 ? terms.order : (earlier?.order ?? []);
    merged.set(way, { ...earlier, ...terms, order, conditions: [...(earlier?.conditions ?? []), ...terms.conditions] });
  }
  return { embeds: merged };
}

export function planStored(
  { collection }: StoredQuery,
  { query, within }: ReturnType<typeof refineStored>,
  page: Page,
  count: ReadPlan['count'],
  permissions: Permissions | undefined,
): ReadPlan {
  return planRead(collection, query, page, count, permissions, { within });
}

export function bindArguments(query: Query, given: Arguments): Query {
  const conditions = query.conditions.map((condition) => bindCondition(condition, given));
  if (query.embeds === undefined) return { ...query, conditions };
  const embeds = [...query.embeds].map(([way, terms]): [string, EmbedParameters] => [
    way,
    { ...terms, conditions: terms.conditions.map((condition) => bindCondition(condition, given)) },
  ]);
  return { ...query, conditions, embeds: new Map(embeds) };
}

function bindCondition(condition: Condition, given: Arguments): Condition {
  if (condition.kind === 'group') {
    return { ...condition, terms: condition.terms.map((term) => bindCondition(term, given)) };
  }
  const test = mapValues(condition.test, (text) => (isMoment(text, given) ? text.slice(1, -1) : text));
  const parameters = valuesOf(test).map((text) => given.get(parameterIn(text) ?? ''));
  if (parameters.every((each) => each === undefined)) return { ...condition, test };
  const [only] = parameters;
  if (only?.value === null && test.kind === 'value' && test.operator === 'isdistinct')
    return { ...condition, test: { kind: 'is', value: 'not_null' } };
  // A search without words finds nothing.
  if (only?.value === null && test.kind === 'search' && condition.field.name === SEARCH)
    return { ...condition, test: { ...test, query: '' } };
  return { ...condition, test: bindTest(test, parameters) };
}

/** Whether a value is a placeholder such as `{now}`, unless a parameter has this name. */
function isMoment(text: string, given: Arguments): boolean {
  const name = parameterIn(text);
  return name !== undefined && given.get(name) === undefined && movingWord(name) !== undefined;
}

function bindTest(test: Test, parameters: readonly (Argument | undefined)[]): Test {
  if (test.kind === 'in') {
    const items = test.values.flatMap((text, index) => itemsOf(parameters[index]) ?? [text]);
    // Unlike `in`, this form may contain null.
    return {
      kind: 'value',
      operator: 'eq',
      quantifier: 'any',
      value: printArrayLiteral({ items, sizes: [items.length] }),
    };
  }
  const { parameter, value } = parameters[0]!;
  if (value === null) return { kind: 'unknown' };
  const text = parameter.type.print(value);
  return test.kind === 'search' ? { ...test, query: text } : ({ ...test, value: text } as Test);
}

/** A list adds all its elements. */
function itemsOf(argument: Argument | undefined): readonly (string | null)[] | undefined {
  if (argument === undefined) return undefined;
  const { parameter, value } = argument;
  if (value === null) return [null];
  const text = parameter.type.print(value);
  return can(parameter.type, 'array') ? parseArrayLiteral(text).items : [text];
}

const PARAMETER = /^\{([A-Za-z_][\w.-]*)\}$/;

/** The name of a placeholder; undefined for another text. */
export function parameterIn(text: string): string | undefined {
  return PARAMETER.exec(text)?.[1];
}

/** All mistakes of a stored query. It is planned with a value for each parameter. */
export function problemsInStored(
  collection: Collection,
  query: string,
  parameters: readonly string[],
  samples: Arguments,
): readonly ApiError[] {
  const problems: ApiError[] = [];
  try {
    const request = parseQuery(query);
    const used = new Set<string>();
    const inspect = (of: Collection, condition: Condition): void => {
      if (condition.kind === 'group') {
        for (const term of condition.terms) inspect(of, term);
        return;
      }
      // The plan below checks figures.
      const type = condition.field.figure === undefined ? resolvePath(of, condition.field).type : undefined;
      for (const text of valuesOf(condition.test)) {
        const name = parameterIn(text);
        if (name !== undefined && parameters.includes(name)) used.add(name);
        else if (type === undefined || wordIn(type, text) !== undefined) continue;
        // `{a}` is also a list of one element.
        else if (/\{\w*\}/.test(text) && !can(type, 'array') && !can(type, 'json')) {
          problems.push(
            new ApiError('PGRST100', say`${text} is not a parameter; a whole value is written {parameter}`),
          );
        }
      }
    };
    for (const condition of request.conditions) inspect(withScore(collection), condition);
    for (const { way, conditions } of request.embeds?.values() ?? []) {
      const to = embeddedAt(collection, request, way);
      for (const condition of conditions) inspect(to, condition);
    }
    for (const name of parameters)
      if (!used.has(name)) problems.push(new ApiError('PGRST100', say`read does not use the parameter ${name}`));
    if (request.columns !== undefined || request.onConflict !== undefined)
      problems.push(new ApiError('PGRST100', say`columns and on_conflict are for writes; a query reads`));
    if (problems.length === 0) {
      const bound = bindArguments(request, samples);
      planRead(collection, bound, { offset: 0 }, undefined, undefined, { within: bound });
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problems.push(error);
  }
  return problems;
}

function embeddedAt(collection: Collection, { select }: Query, way: readonly string[]): Collection {
  let [of, level] = [collection, select];
  for (const name of way) {
    const item = level.find((each) => each.kind === 'embed' && (each.alias ?? each.name) === name);
    if (item?.kind !== 'embed')
      throw new ApiError('PGRST108', say`'${name}' is not an embedded resource in this request`);
    [of, level] = [relate(of, item.name, item.hint).to, item.select];
  }
  return of;
}
