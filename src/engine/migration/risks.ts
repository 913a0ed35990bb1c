/** Finds changes that could lose or reject stored data, by asking questions about the rows. */
import { type Sentence, say, type Wording } from '../../base/sentence.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { isOnlyAdopted } from '../../collection/types/index.ts';
import { can } from '../../collection/types/type.ts';
import type { ChangeKind, ChangeOf, CollectionPair, Comparison } from './changes.ts';
import { type FirstRows, fieldsIn, permission, type Question, targetColumn, targetOf } from './question.ts';

export interface Problem extends Pick<Sentence, 'words' | 'template' | 'values'> {
  /** The value for `catalogue migrate --allow`; absent if only other rows or another declaration help. */
  readonly allow?: string | undefined;
}

interface Risk {
  readonly question: Question;
  /** A problem even without conflicting rows. */
  readonly always?: boolean;
  /** The field whose values must be readable before this question makes sense. */
  readonly about?: Field;
  /** For this number of rows. */
  readonly sentence: (count: number) => Sentence;
  readonly allow?: string | undefined;
}

type Assessor<K extends ChangeKind> = (change: ChangeOf<K>, pair: CollectionPair, all: Assessment) => readonly Risk[];

interface Assessment extends Comparison {
  readonly firstRows: FirstRows;
}

/** Yields one question after the other, receives the number of rows for each, and returns the problems. */
export function* assess(comparison: Comparison, firstRows: FirstRows): Generator<Question, readonly Problem[], number> {
  const risks = risksOf({ ...comparison, firstRows });
  const isFirst = ({ question }: Risk) => question.kind === 'unreadable';
  const problems: Problem[] = [];
  const unreadable = new Set<Field>();
  for (const risk of [...risks.filter(isFirst), ...risks.filter((each) => !isFirst(each))]) {
    const fields = [...fieldsIn(risk.question), ...(risk.about === undefined ? [] : [risk.about])];
    if (fields.some((field) => unreadable.has(field))) continue;
    const count = yield risk.question;
    if (count === 0 && risk.always !== true) continue;
    if (isFirst(risk)) for (const field of fields) unreadable.add(field);
    problems.push({ ...risk.sentence(count), allow: risk.allow });
  }
  return problems;
}

function risksOf(all: Assessment): readonly Risk[] {
  return all.changes.flatMap((change) => {
    const assessor = ASSESSORS[change.kind] as Assessor<ChangeKind> | undefined;
    return assessor?.(change, all.pairs.get(change.collection.name)!, all) ?? [];
  });
}

/** Suggests that a new field of the same type may be the dropped one, renamed. */
function renamed({ collection, field }: ChangeOf<'drop-field'>, { changes, pairs }: Comparison): Wording {
  const added = changes.find(
    (each) => each.kind === 'add-field' && each.collection === collection && each.field.type.name === field.type.name,
  );
  if (added?.kind !== 'add-field') return '';
  const translationOf = (of: Collection, { name }: Field) =>
    of.draft.fields.find((each) => each.name === name)?.translates;
  const now = translationOf(collection, added.field);
  const before = translationOf(pairs.get(collection.name)!.before!, field);
  const was = now === undefined ? `was: ${field.name}` : `{ language: ${now.language}, was: ${before?.language} }`;
  if (now !== undefined && now.field !== before?.field) return '';
  return say`; if ${added.field.name} is its new name, declare it with ${was}`;
}

/** The other changes concern no stored rows. A dropped collection has no pair. */
const ASSESSORS: { readonly [K in ChangeKind]?: Assessor<K> } = {
  'drop-collection': ({ collection: { name } }) => [
    {
      question: { kind: 'rows', table: name },
      always: true,
      sentence: (count) => say`${name} is no longer declared, and holds ${rows(count)}`,
      allow: permission('drop', name),
    },
  ],

  'drop-field': (change, { before }, all) => {
    const { collection, field } = change;
    // Its values follow from others.
    if (field.computed !== undefined) return [];
    const isComputed = collection.byName.has(field.name);
    const path = `${collection.name}.${field.name}`;
    return [
      {
        question: { kind: 'values', table: before!.name, column: field.name },
        always: true,
        sentence: (count) =>
          isComputed
            ? say`${path} becomes computed, and ${haveValue(count)}`
            : say`${path} is no longer declared, and ${haveValue(count)}${renamed(change, all)}`,
        allow: permission('drop', collection.name, field.name),
      },
    ];
  },

  'add-field': ({ collection: { name }, field }, pair) => {
    const { before } = pair;
    if (field.computed !== undefined) return computedRisks(pair, field);
    if (!field.required || hasDefault(field)) return [];
    return [
      {
        question: { kind: 'rows', table: before!.name },
        sentence: (count) =>
          say`${haveNone(count, field)}: ${`${name}.${field.name}`} is new, required, and without a default`,
      },
    ];
  },

  'change-type': ({ collection: { name, unique }, field, before }, pair) => {
    // A computed field becomes an ordinary one, and keeps its values.
    if (before.type === field.type) return [];
    const table = pair.before!.name;
    const types = say`${`${name}.${field.name}`} becomes ${field.type.name}, and was ${before.type.name}`;
    return [
      {
        question: { kind: 'unreadable', table, of: targetColumn(pair, field) },
        sentence: (count) =>
          count === 1
            ? say`${types}: 1 row holds a value that is not a valid ${field.type.name}`
            : say`${types}: ${count} rows hold a value that is not a valid ${field.type.name}`,
      },
      {
        question: { kind: 'rows', table },
        about: field,
        sentence: (count) =>
          count === 1 ? say`${types}: 1 row is converted` : say`${types}: ${count} rows are converted`,
        allow: permission('convert', name, field.name),
      },
      // Different values may become equal in another type.
      ...unique
        .filter(({ fields }) => fields.includes(field) && fields.every((each) => pair.origin(each) !== undefined))
        .map(({ fields }) => ({ ...repeated(pair, fields, say`is unique`), about: field })),
    ];
  },

  require: ({ collection: { name }, field }, pair) => [
    {
      question: { kind: 'nulls', table: pair.before!.name, of: targetColumn(pair, field) },
      sentence: (count) => say`${haveNone(count, field)}: ${`${name}.${field.name}`} becomes required`,
      allow: hasDefault(field) ? permission('fill', name, field.name) : undefined,
    },
  ],

  'change-rules': ({ field }, pair) => [brokenRules(pair, field)],

  'change-key': ({ collection }, pair) => [repeated(pair, collection.key, say`is the key`)],

  'add-unique': ({ unique }, pair) =>
    pair.before === undefined ? [] : [repeated(pair, unique.fields, say`is unique`)],

  'add-reference': ({ collection: { name }, reference }, pair, all) => {
    // The database itself checks a reference of several fields.
    if (pair.before === undefined || !('field' in reference)) return [];
    const { field, to } = reference;
    const target = targetOf(to, all, all.firstRows);
    const path = `${name}.${field.name}`;
    return [
      {
        question: { kind: 'dangling', table: pair.before.name, of: targetColumn(pair, field), to: target },
        sentence: (count) =>
          count === 1
            ? say`1 row refers to rows of ${to} that do not exist: ${path} becomes a reference`
            : say`${count} rows refer to rows of ${to} that do not exist: ${path} becomes a reference`,
        allow: clearing(name, field),
      },
    ];
  },
};

function brokenRules(pair: CollectionPair, field: Field): Risk {
  const { name } = pair.now;
  const path = `${name}.${field.name}`;
  return {
    question: { kind: 'broken', table: pair.before!.name, of: targetColumn(pair, field) },
    sentence: (count) =>
      count === 1
        ? say`1 row breaks the rules of ${path} (${ruleWords(field)})`
        : say`${count} rows break the rules of ${path} (${ruleWords(field)})`,
    allow: clearing(name, field),
  };
}

function computedRisks(pair: CollectionPair, field: Field): readonly Risk[] {
  const path = `${pair.now.name}.${field.name}`;
  const missing: Risk = {
    question: { kind: 'nulls', table: pair.before!.name, of: targetColumn(pair, field) },
    sentence: (count) => say`${haveNone(count, field)}: ${path} is required, and its expression gives none`,
  };
  return [...(field.required ? [missing] : []), brokenRules(pair, field)];
}

function repeated(pair: CollectionPair, fields: readonly Field[], what: Sentence): Risk {
  const names = fields.map(({ name }) => name).join(', ');
  const key = say`${pair.now.name} (${names}) ${what}`;
  return {
    question: { kind: 'repeated', table: pair.before!.name, of: fields.map((field) => targetColumn(pair, field)) },
    sentence: (count) =>
      count === 1
        ? say`1 row repeats the ${names} of another: ${key}`
        : say`${count} rows repeat the ${names} of another: ${key}`,
  };
}

function hasDefault(field: Field): boolean {
  return field.default !== undefined || field.generated !== undefined;
}

function clearing(collection: string, { required, name, computed }: Field): string | undefined {
  return required || computed !== undefined ? undefined : permission('clear', collection, name);
}

function rows(count: number): Sentence {
  return count === 1 ? say`1 row` : say`${count} rows`;
}

function haveValue(count: number): Sentence {
  return count === 1 ? say`1 row has a value` : say`${count} rows have a value`;
}

function haveNone(count: number, { name }: Field): Sentence {
  return count === 1 ? say`1 row has no ${name}` : say`${count} rows have no ${name}`;
}

function ruleWords({ rules }: Field): string {
  return Object.entries(rules)
    .map(([rule, value]) => `${rule} ${Array.isArray(value) ? value.join(', ') : value}`)
    .join(', ');
}

/** Fields of types that only columns of existing tables have. A number that nobody writes can be stored. */
function adoptedTypes(own: readonly Collection[]): Problem[] {
  return own.flatMap(({ name, fields }) =>
    fields
      .filter(({ type, readOnly }) => isOnlyAdopted(type) && !(readOnly && can(type, 'number')))
      .map(
        (field) =>
          say`${`${name}.${field.name}`} is ${field.type.name}, a type for columns of existing PostgreSQL tables. Declare another type, such as ${can(field.type, 'number') ? 'decimal(12,2)' : 'text'}`,
      ),
  );
}

/** Collections without a key that would have to be created: a table of our own needs one. */
function keylessTables(own: readonly Collection[]): Problem[] {
  return own
    .filter(({ key }) => key.length === 0)
    .map(
      ({ name }) =>
        say`${name} has no key, so it must be an existing view or table of a PostgreSQL database. Declare its key`,
    );
}

/** The reasons why collections cannot be tables of our own. */
export function notToCreate(own: Iterable<Collection>): Problem[] {
  const collections = [...own];
  return [...keylessTables(collections), ...adoptedTypes(collections)];
}
