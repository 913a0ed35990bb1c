/** Generated catalogues with all kinds of references between collections, their rows, and requests that embed them. */
import fc from 'fast-check';
import type { CollectionDraft, FieldDraft } from '../../../src/collection/draft.ts';
import type { Row } from '../../../src/collection/value.ts';
import {
  type Aggregate,
  type Column,
  type Condition,
  type Embed,
  isGrouped,
  type Level,
  type Link,
  linksOf,
  meant,
  nameOf,
  type OrderTerm,
  type Related,
  type Rows,
  shownNames,
} from './embedding-model.ts';

/** Makes random choices, which fast-check shrinks when a case fails. */
export interface Chooser {
  readonly number: (least: number, most: number) => number;
  /** Returns true with this probability in percent. */
  readonly sometimes: (percent: number) => boolean;
  readonly one: <Item>(items: readonly Item[]) => Item;
  readonly some: <Item>(items: readonly Item[], least?: number) => Item[];
}

export function chooserOf(generate: fc.GeneratorValue): Chooser {
  const number = (min: number, max: number) => generate(fc.integer, { min, max });
  return {
    number,
    // Shrinking leads to false.
    sometimes: (percent) => number(0, 99) >= 100 - percent,
    one: (items) => items[number(0, items.length - 1)]!,
    some: (items, least = 0) =>
      generate(fc.subarray<(typeof items)[number]>, [...items], { minLength: Math.min(least, items.length) }),
  };
}

const KEY_TYPES = ['int4', 'int8', 'text', 'uuid'] as const;
const MAX_ROWS = 6;
const WORDS = ['a', 'ab', 'b', 'B', 'c d', ''];

/**
 * Chooses two or three collections that reference each other and themselves, one junction collection, and a one-to-one
 * relation.
 */
export function chooseRelated(choose: Chooser): Related {
  const names = ['alphas', 'betas', 'gammas'].slice(0, choose.number(2, 3));
  const types = Object.fromEntries(names.map((name) => [name, choose.one(KEY_TYPES)]));
  const refer = (to: string, name: string, more: Partial<FieldDraft> = {}): FieldDraft => {
    return { name, type: types[to]!, references: { collection: to, onDelete: 'restrict', circles: true }, ...more };
  };
  const plain: FieldDraft[] = [
    { name: 'n', type: 'int4' },
    { name: 't', type: 'text' },
    { name: 'b', type: 'boolean' },
  ];
  const collections: CollectionDraft[] = names.map((name) => {
    const targets = choose.some(names);
    const twice = targets.filter(() => choose.sometimes(30));
    return {
      name,
      key: ['id'],
      fields: [
        { name: 'id', type: types[name]! },
        ...plain,
        ...targets.map((to) => refer(to, `${to}_id`, choose.sometimes(50) ? { indexed: true } : {})),
        ...twice.map((to) => refer(to, `other_${to}`)),
      ],
    };
  });
  if (choose.sometimes(70)) {
    const [one, other] = [choose.one(names), choose.one(names)];
    const fields = [refer(one, 'one_id'), refer(other, 'other_id'), { name: 'n', type: 'int4' }];
    const [third] = choose.sometimes(30) ? [{ name: 'place', type: 'int2' }] : [];
    collections.push({
      name: 'links',
      key: ['one_id', 'other_id', ...(third === undefined ? [] : [third.name])],
      fields: third === undefined ? fields : [...fields, third],
    });
  }
  if (choose.sometimes(50)) {
    const to = choose.one(names);
    const isKey = choose.sometimes(50);
    collections.push(
      isKey
        ? { name: 'extras', key: ['of_id'], fields: [refer(to, 'of_id'), ...plain] }
        : {
            name: 'extras',
            key: ['id'],
            fields: [{ name: 'id', type: 'int4' }, ...plain, refer(to, 'of_id', { unique: true })],
          },
    );
  }
  return { collections, rows: chooseRows(choose, collections) };
}

const UUIDS = Array.from({ length: MAX_ROWS }, (_, index) => `0000000${index}-0000-4000-8000-00000000000${9 - index}`);

function keyValue(type: string, index: number): Row[string] {
  if (type === 'uuid') return UUIDS[index]!;
  return type === 'text' ? `k${9 - index}` : index + 1;
}

function chooseRows(choose: Chooser, collections: readonly CollectionDraft[]): Rows {
  const counts = Object.fromEntries(collections.map(({ name }) => [name, choose.number(0, MAX_ROWS)]));
  return Object.fromEntries(
    collections.map(({ name, key, fields }) => {
      const used = new Set<string>();
      const rows = Array.from({ length: counts[name]! }, (_, index) => {
        return Object.fromEntries(
          fields.map(({ name: field, type, references, unique }): [string, Row[string]] => {
            const isKey = key.includes(field);
            if (references !== undefined) {
              const count = counts[references.collection]!;
              if (unique) return [field, index < count ? keyValue(type, index) : null];
              if (isKey && key.length === 1) return [field, keyValue(type, index)];
              if (count === 0 || (!isKey && choose.sometimes(25))) return [field, null];
              return [field, keyValue(type, choose.number(0, count - 1))];
            }
            if (isKey) return [field, keyValue(type, index)];
            if (choose.sometimes(25)) return [field, null];
            if (type === 'boolean') return [field, choose.sometimes(50)];
            return [field, type === 'text' ? choose.one(WORDS) : choose.number(-2, 3)];
          }),
        );
      }).filter((row) => {
        const identity = JSON.stringify(key.map((field) => row[field]));
        const refersToNone = fields.some(({ name: field, references }) => {
          if (references === undefined || !key.includes(field)) return false;
          return row[field] === null || !isAmong(row[field]!, counts[references.collection]!, fields, field);
        });
        if (used.has(identity) || refersToNone) return false;
        used.add(identity);
        return true;
      });
      return [name, rows];
    }),
  );
}

function isAmong(value: Row[string], count: number, fields: readonly FieldDraft[], field: string): boolean {
  const { type } = fields.find(({ name }) => name === field)!;
  return Array.from({ length: count }, (_, index) => keyValue(type, index)).includes(value);
}

/** Chooses a request with at most this many levels of embedding. */
export function chooseRequest(choose: Chooser, related: Related, levels: number): Level {
  return chooseLevel(choose, related, choose.one(related.collections), 1, levels);
}

/**
 * Types that the model orders like the engines. It reads an int8 as a double, so two different values could be equal.
 */
const ORDERED = ['int2', 'int4', 'text', 'uuid', 'boolean', 'date'];

function chooseLevel(choose: Chooser, related: Related, own: CollectionDraft, depth: number, levels: number): Level {
  const hasFigures = choose.sometimes(8);
  const embeds = depth > levels ? [] : chooseEmbeds(choose, related, own, depth, levels);
  const taken = new Set(embeds.flatMap((embed) => (embed.spread ? shownNames(embed) : [])));
  const aggregates = hasFigures ? chooseAggregates(choose, own, taken) : [];
  const grouped = isGrouped({ ...NOTHING, aggregates, embeds });
  // A request without columns selects everything, but an embed without columns only filters.
  const fields = choose.some(
    own.fields.filter(({ type }) => !grouped || ORDERED.includes(type)),
    depth === 1 && embeds.length === 0 && !grouped ? 1 : 0,
  );
  const columns: Column[] = fields.slice(0, grouped ? 2 : fields.length).map(({ name, type }, index) => {
    const alias = taken.has(name) || choose.sometimes(20) ? { alias: `f${depth}_${index}` } : {};
    return { field: name, ...alias, ...(!grouped && type === 'int4' && choose.sometimes(10) ? { asText: true } : {}) };
  });
  const limit = choose.sometimes(20) ? { limit: choose.number(0, 3) } : {};
  const offset = choose.sometimes(10) ? { offset: choose.number(0, 2) } : {};
  return {
    collection: own.name,
    columns,
    aggregates,
    embeds,
    conditions: Array.from({ length: choose.sometimes(40) ? choose.number(1, 2) : 0 }, () =>
      chooseCondition(choose, related, own, embeds, 2),
    ),
    order: grouped || !choose.sometimes(40) ? [] : chooseOrder(choose, related, own, embeds),
    ...limit,
    ...offset,
  };
}

const NOTHING: Level = { collection: '', columns: [], aggregates: [], embeds: [], conditions: [], order: [] };

function chooseAggregates(choose: Chooser, own: CollectionDraft, taken: ReadonlySet<string>): Aggregate[] {
  const figures: Aggregate[] = [{ name: 'count', alias: 'rows' }];
  const counted = own.fields.filter(({ name, type, references }) => {
    return type === 'int4' && references === undefined && !own.key.includes(name);
  });
  for (const { name: field } of counted.slice(0, 1)) {
    for (const name of ['count', 'sum', 'max', 'min'] as const) figures.push({ name, field, alias: `${name}_of` });
  }
  return choose
    .some(figures, 1)
    .map((figure) => (taken.has(figure.alias) ? { ...figure, alias: `own${taken.size}_${figure.alias}` } : figure));
}

function chooseEmbeds(choose: Chooser, related: Related, own: CollectionDraft, depth: number, levels: number): Embed[] {
  const { collections } = related;
  const links = linksOf(collections, own.name);
  const embeds: Embed[] = [];
  const shown = new Set<string>();
  const count = depth === 1 ? choose.number(1, 3) : choose.number(0, 2);
  for (let index = 0; index < count && links.length > 0; index++) {
    const link = choose.one(links);
    const spellings = spellingsOf(link).filter(({ target, hint }) => {
      const found = meant(links, target, hint);
      return found.length === 1 && found[0] === link;
    });
    if (spellings.length === 0) continue;
    const spelled = choose.one(spellings);
    const level = chooseLevel(choose, related, collections.find(({ name }) => name === link.to)!, depth + 1, levels);
    const isFree = !embeds.some((each) => nameOf(each) === spelled.target) && !shown.has(spelled.target);
    const spread = isFree && isClear(level) && !(link.many && isGrouped(level)) && choose.sometimes(25);
    const alias = isFree && (spread || choose.sometimes(60)) ? {} : { alias: `e${depth}_${index}` };
    const join = choose.one([{}, {}, { join: 'inner' }, { join: 'left' }] as const);
    const embed: Embed = { ...level, link, ...spelled, ...alias, ...join, spread };
    // The columns of a spread embed must not repeat other names in the row.
    if (spread && shownNames(embed).some((name) => shown.has(name))) continue;
    for (const name of spread ? shownNames(embed) : [nameOf(embed)]) shown.add(name);
    embeds.push(embed);
  }
  return embeds;
}

/** Whether all column names are distinct, as a spread embed requires. */
function isClear(level: Level): boolean {
  const names = shownNames(level);
  return new Set(names).size === names.length;
}

/** Returns all ways to name a relation. The other relations determine which of them are unambiguous. */
export function spellingsOf({ to, outer, inner, constraint, through }: Link): { target: string; hint?: string }[] {
  if (through !== undefined) return [{ target: to }, { target: to, hint: through.collection }];
  return [
    { target: to },
    { target: outer },
    { target: constraint! },
    ...[constraint!, outer, inner].map((hint) => ({ target: to, hint })),
  ];
}

function chooseCondition(
  choose: Chooser,
  related: Related,
  own: CollectionDraft,
  embeds: readonly Embed[],
  depth: number,
): Condition {
  if (depth > 0 && choose.sometimes(30)) {
    const terms = Array.from({ length: choose.number(1, 3) }, () =>
      chooseCondition(choose, related, own, embeds, depth - 1),
    );
    const group: Condition = { kind: choose.one(['and', 'or']), terms };
    return choose.sometimes(30) ? { kind: 'not', term: group } : group;
  }
  const negated = (condition: Condition): Condition => {
    return choose.sometimes(30) ? { kind: 'not', term: condition } : condition;
  };
  if (embeds.length > 0 && choose.sometimes(40)) return negated({ kind: 'null', name: nameOf(choose.one(embeds)) });
  const compared = own.fields.filter(({ type }) => type === 'int4' || type === 'text');
  const field = choose.one(compared.length === 0 ? own.fields : compared);
  if (compared.length === 0 || choose.sometimes(20)) return negated({ kind: 'null', name: field.name });
  const stored = related.rows[own.name]!.map((row) => row[field.name]).filter(
    (each) => each !== null && /^\w+$/.test(String(each)),
  );
  const value = () => choose.one([field.type === 'text' ? 'b' : 1, ...(stored as (number | string)[])]);
  if (choose.sometimes(25)) return negated({ kind: 'in', field: field.name, values: [value(), value()] });
  const test = choose.one(['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const);
  return negated({ kind: 'compare', field: field.name, test, value: value() });
}

function chooseOrder(
  choose: Chooser,
  { collections }: Related,
  own: CollectionDraft,
  embeds: readonly Embed[],
): OrderTerm[] {
  const others = embeds
    .filter((embed) => !embed.link.many && !isGrouped(embed) && isClear(embed))
    .flatMap((embed) => {
      const { fields } = collections.find(({ name }) => name === embed.collection)!;
      const isOrdered = (field: string) => ORDERED.includes(fields.find(({ name }) => name === field)!.type);
      const columns = embed.columns.filter(({ field }) => isOrdered(field));
      return columns.map(({ field, alias }) => ({ embed: nameOf(embed), field: alias ?? field }));
    });
  const candidates = [
    ...others,
    ...own.fields.filter(({ type }) => ORDERED.includes(type)).map(({ name }) => ({ field: name })),
  ];
  return choose
    .some(candidates)
    .slice(0, 2)
    .map((term) => {
      const nulls = choose.one([{}, { nulls: 'first' }, { nulls: 'last' }] as const);
      return { ...term, descending: choose.sometimes(40), ...nulls };
    });
}

/** Returns the request path as a client writes it. */
export function pathOf(level: Level): string {
  const parameters = [`select=${selectOf(level)}`, ...parametersOf(level, '')];
  return `/${level.collection}?${parameters.join('&')}`;
}

function selectOf({ columns, aggregates, embeds }: Level): string {
  return [
    ...columns.map(
      ({ field, alias, asText }) => `${alias === undefined ? '' : `${alias}:`}${field}${asText ? '::text' : ''}`,
    ),
    ...aggregates.map(({ name, field, alias }) => `${alias}:${field === undefined ? '' : `${field}.`}${name}()`),
    ...embeds.map(embedOf),
  ].join(',');
}

function embedOf(embed: Embed): string {
  const { alias, target, hint, join, spread } = embed;
  const words = [target, hint, join].filter((word) => word !== undefined).join('!');
  return `${spread ? '...' : alias === undefined ? '' : `${alias}:`}${words}(${selectOf(embed)})`;
}

function parametersOf({ conditions, order, limit, offset, embeds }: Level, way: string): string[] {
  return [
    ...conditions.map((condition) => parameterOf(condition, way)),
    ...(order.length === 0 ? [] : [`${way}order=${order.map(orderTerm).join(',')}`]),
    ...(limit === undefined ? [] : [`${way}limit=${limit}`]),
    ...(offset === undefined ? [] : [`${way}offset=${offset}`]),
    ...embeds.flatMap((embed) => parametersOf(embed, `${way}${nameOf(embed)}.`)),
  ];
}

function orderTerm({ embed, field, descending, nulls }: OrderTerm): string {
  const name = embed === undefined ? field : `${embed}(${field})`;
  return `${name}${descending ? '.desc' : ''}${nulls === undefined ? '' : `.nulls${nulls}`}`;
}

function parameterOf(condition: Condition, way: string): string {
  const isNegated = condition.kind === 'not';
  const term = isNegated ? condition.term : condition;
  const not = isNegated ? 'not.' : '';
  if (term.kind === 'and' || term.kind === 'or')
    return `${way}${not}${term.kind}=(${term.terms.map(inGroup).join(',')})`;
  const [name, test] = testOf(term);
  return `${way}${name}=${not}${test}`;
}

function inGroup(condition: Condition): string {
  const isNegated = condition.kind === 'not';
  const term = isNegated ? condition.term : condition;
  const not = isNegated ? 'not.' : '';
  if (term.kind === 'and' || term.kind === 'or') return `${not}${term.kind}(${term.terms.map(inGroup).join(',')})`;
  const [name, test] = testOf(term);
  return `${name}.${not}${test}`;
}

function testOf(condition: Condition): [name: string, test: string] {
  if (condition.kind === 'null') return [condition.name, 'is.null'];
  if (condition.kind === 'in')
    return [condition.field, `in.(${condition.values.map((value) => JSON.stringify(value)).join(',')})`];
  if (condition.kind === 'compare') return [condition.field, `${condition.test}.${condition.value}`];
  throw new Error('a negation of a negation is not written');
}
