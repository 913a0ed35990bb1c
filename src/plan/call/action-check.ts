/** Finds the mistakes of an action: its placeholders by name, and each entry by planning it with sample values. */
import { runToEnd } from '../../base/cooperative.ts';
import { ApiError, unlessRejected } from '../../base/errors.ts';
import { MAX_BATCH_REQUESTS } from '../../base/limits/http.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { about, type Sentence, say } from '../../base/sentence.ts';
import type { Action, ActionEntry, Collection, Field } from '../../collection/declaration.ts';
import { MOVING_WORDS } from '../../collection/types/time/moving-moment.ts';
import { can } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import { parsePrefer } from '../../dialect/prefer.ts';
import { parseQuery } from '../../dialect/query.ts';
import type { Condition } from '../../dialect/tree.ts';
import { COMPARING, valuesOf } from '../access/rule.ts';
import { planWrite } from '../write/write.ts';
import { type ActionArguments, bindAction } from './action.ts';
import type { Argument } from './arguments.ts';
import { parameterIn } from './stored-query.ts';

interface ActionProblem {
  /** The position of the entry; absent for the whole action. */
  readonly entry?: number;
  readonly message: Sentence;
}

/** Names that a parameter or an entry cannot have. */
export const RESERVED_PLACEHOLDERS = ['claims', ...MOVING_WORDS];

export function problemsInAction(action: Action): readonly ActionProblem[] {
  const problems = [...namesIn(action), ...placeholdersIn(action), ...sizeOf(action)];
  return problems.length > 0 ? problems : planned(action);
}

function* namesIn({ entries, parameters, rows, returns = [] }: Action): Generator<ActionProblem> {
  const taken = new Map<string, Sentence>([
    ...RESERVED_PLACEHOLDERS.map((word) => [word, say`a word with a meaning of its own`] as const),
    ...parameters.map(({ name }) => [name, say`a parameter`] as const),
  ]);
  for (const [entry, { name, each }] of entries.entries()) {
    if (name !== undefined && taken.has(name)) {
      yield { entry, message: about('name', say`${name} is already ${taken.get(name)!}; choose another name`) };
    } else if (name !== undefined && !/^[A-Za-z_]\w*$/.test(name)) {
      yield { entry, message: about('name', say`${name} is not a name of letters, digits and _`) };
    }
    if (name !== undefined) taken.set(name, say`an earlier entry`);
    if (each !== undefined && !rows.has(each)) {
      const suggestion = didYouMean(each, [...rows.keys()]);
      yield { entry, message: about('each', say`${each} is not a parameter of type rows${suggestion}`) };
    }
  }
  const names = entries.flatMap(({ name }) => name ?? []);
  for (const name of [returns].flat()) {
    const suggestion = didYouMean(name, names);
    if (!names.includes(name)) yield { message: about('returns', say`no entry has the name ${name}${suggestion}`) };
  }
}

function* sizeOf({ entries, rows }: Action): Generator<ActionProblem> {
  const requests = entries.reduce(
    (sum, { each }) => sum + (each === undefined ? 1 : (rows.get(each)?.maximum ?? 1)),
    0,
  );
  if (requests <= MAX_BATCH_REQUESTS) return;
  yield { message: say`a call could have ${requests} writes, and may have ${MAX_BATCH_REQUESTS}; lower maximum` };
}

/** A placeholder of a body or a filter. A cell of a row is the only place for a value of an earlier entry. */
interface Place {
  readonly text: string;
  readonly where: 'body' | 'cell' | 'filter' | 'pattern';
}

function* placeholdersIn(action: Action): Generator<ActionProblem> {
  const used = new Set<string>();
  for (const [index, entry] of action.entries.entries()) {
    const known = knownIn(action, index);
    for (const { text, where } of placesIn(entry)) {
      const name = parameterIn(text);
      const [inside] = name === undefined ? (/\{[A-Za-z_][\w.-]*\}/.exec(text) ?? []) : [];
      const part = inside === undefined ? undefined : parameterIn(inside);
      if (part !== undefined && (known.has(part) || part.startsWith('claims.'))) {
        yield { entry: index, message: say`${text} is not a placeholder; a whole value is written ${inside!}` };
      }
      if (name === undefined) continue;
      const places = name.startsWith('claims.') ? EVERYWHERE : known.get(name);
      if (places === undefined) {
        const names = [...known.keys()].map((each) => `{${each}}`);
        yield {
          entry: index,
          message: say`${text} is not a placeholder${didYouMean(text, names) || say`; there are ${names.join(', ')}`}`,
        };
      } else if (!places.includes(where)) {
        yield {
          entry: index,
          message: say`${text} cannot be here: ${reasonAt(where, places)}`,
        };
      }
      used.add(name.split('.', 1)[0]!);
    }
    if (entry.each !== undefined) used.add(entry.each);
  }
  for (const { name } of action.parameters) {
    if (!used.has(name)) yield { message: say`batch does not use the parameter ${name}` };
  }
}

function reasonAt(where: Place['where'], places: readonly Place['where'][]): Sentence {
  if (where === 'pattern') return say`a value is compared by ${COMPARING.join(', ')} or in, and is not a pattern`;
  return places.includes('filter')
    ? say`it is a value of a filter`
    : say`it is known only later, as the value of a field`;
}

const EVERYWHERE: readonly Place['where'][] = ['body', 'cell', 'filter'];

/** The placeholders that an entry may use, and where. */
function knownIn({ values, rows, entries }: Action, index: number): ReadonlyMap<string, readonly Place['where'][]> {
  const { each } = entries[index]!;
  const known = new Map<string, readonly Place['where'][]>([
    ['now', EVERYWHERE],
    ...MOVING_WORDS.filter((word) => word !== 'now').map((word) => [word, ['filter']] as const),
  ]);
  for (const { name } of values.fields) known.set(name, EVERYWHERE);
  for (const [name, { collection }] of rows) {
    known.set(name, ['body', 'cell']);
    if (name === each) for (const field of collection.fields) known.set(`${name}.${field.name}`, EVERYWHERE);
  }
  for (const earlier of entries.slice(0, index)) {
    if (earlier.name === undefined || (earlier.each !== undefined && earlier.each !== each)) continue;
    for (const field of earlier.collection.fields) known.set(`${earlier.name}.${field.name}`, ['cell']);
  }
  return known;
}

function* placesIn({ body, query }: ActionEntry): Generator<Place> {
  for (const row of Array.isArray(body) ? body : [body]) {
    const isObject = typeof row === 'object' && row !== null;
    for (const [cell, value] of isObject ? Object.entries(row) : [['', row]]) {
      if (typeof value === 'string') yield { text: value, where: cell === '' ? 'body' : 'cell' };
      else yield* textsIn(value);
    }
  }
  const conditions = unlessRejected(() => parseQuery(query).conditions) ?? [];
  for (const condition of conditions) yield* testsIn(condition);
}

function* textsIn(value: unknown): Generator<Place> {
  if (typeof value === 'string') yield { text: value, where: 'body' };
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* textsIn(each);
}

function* testsIn(condition: Condition): Generator<Place> {
  if (condition.kind === 'group') for (const term of condition.terms) yield* testsIn(term);
  else if ('test' in condition) {
    const { test } = condition;
    const isCompared =
      test.kind === 'in' ||
      (test.kind === 'value' && test.quantifier === undefined && COMPARING.includes(test.operator));
    for (const text of valuesOf(test)) yield { text, where: isCompared ? 'filter' : 'pattern' };
  }
}

/** Rules of fields depend on the values, so a sample may break them. */
const OF_VALUES = ['23502', '23514'];

function planned(action: Action): readonly ActionProblem[] {
  const problems: ActionProblem[] = [];
  for (const { entry, at, body, bind } of bindAction(action, samplesOf(action), SAMPLE_CALL)) {
    try {
      const { collection, method, query, headers = {} } = entry;
      const prefer = Object.entries(headers).find(([name]) => name.toLowerCase() === 'prefer')?.[1] ?? null;
      const asked = {
        query: bind(parseQuery(query)),
        preferences: parsePrefer(prefer),
        createOnly: false,
        url: '',
        singular: false,
        allowUnfiltered: false,
      };
      const document = method === 'DELETE' ? undefined : ({ kind: 'json', value: body } as const);
      runToEnd(planWrite(collection, method, asked, document, undefined));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (OF_VALUES.includes(error.code)) continue;
      const { message, details, hint } = error.wordings;
      const more = error.hint === null ? details : hint;
      const words = more === '' ? say`${message}` : say`${message}; ${more}`;
      problems.push({ entry: at, message: error.field === undefined ? words : about(error.field, words) });
    }
  }
  return problems;
}

const SAMPLE_CALL = { claims: undefined, now: '2026-11-18T00:00:00Z' };

function samplesOf({ values, rows }: Action): ActionArguments {
  return {
    values: sampleRow(values),
    rows: new Map([...rows].map(([name, { collection }]) => [name, [sampleRow(collection)]])),
  };
}

function sampleRow({ fields }: Collection): ReadonlyMap<string, Argument> {
  return new Map(
    fields.map((field) => {
      const { name, type } = field;
      return [name, { parameter: { name, type, isRequired: true }, value: sampleOf(field) }];
    }),
  );
}

/** A value of the type; null if none is known. */
function sampleOf({ type, default: value, rules: { minimum, oneOf } }: Field): Value {
  if (value !== undefined || minimum !== undefined) return value ?? minimum ?? null;
  if (oneOf !== undefined) return oneOf[0]!;
  // An object is also a list of no elements, and no operation.
  if (can(type, 'array') || can(type, 'json')) return type.store('{}');
  if (can(type, 'number')) return type.store('1');
  if (can(type, 'text')) return type.store('text');
  const [example] = Array.isArray(type.schema.examples) ? type.schema.examples : [];
  return typeof example === 'string' ? (unlessRejected(() => type.store(example)) ?? null) : null;
}
