/** Finds changes that could lose or reject stored data, by asking questions about the rows. */
import type { Field } from '../../collection/declaration.ts';
import type { Change, ChangeKind, ChangeOf, CollectionPair, Comparison } from './changes.ts';
import { type FirstRows, fieldsIn, type Question, targetColumn, targetOf } from './question.ts';

/** The permitted treatment of conflicting rows. */
type Remedy = 'drop' | 'convert' | 'fill' | 'clear';

export interface Problem {
  readonly words: string;
  /** The value for `catalogue migrate --allow`; absent if only other rows or another declaration help. */
  readonly allow?: string;
}

interface Risk {
  readonly question: Question;
  /** A problem even without conflicting rows. */
  readonly always?: boolean;
  /** The field whose values must be readable before this question makes sense. */
  readonly about?: Field;
  readonly problem: (count: number) => Problem;
}

type Assessor<K extends ChangeKind> = (
  change: ChangeOf<K>,
  pair: CollectionPair | undefined,
  all: Assessment,
) => readonly Risk[];

/** The context of an assessment. */
interface Assessment extends Comparison {
  readonly firstRows: FirstRows;
}

/** In the syntax of `--allow`. */
export function permission(remedy: Remedy, collection: string, field?: string): string {
  return `${remedy}:${collection}${field === undefined ? '' : `.${field}`}`;
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
    problems.push(risk.problem(count));
  }
  return problems;
}

function risksOf(all: Assessment): readonly Risk[] {
  return all.changes.flatMap((change) => {
    const risks = ASSESSORS[change.kind] as (
      change: Change,
      pair: CollectionPair | undefined,
      all: Assessment,
    ) => Risk[];
    return risks(change, all.pairs.get(change.collection.name), all);
  });
}

/** Suggests that a new field of the same type may be the dropped one, renamed. */
function renamed({ collection, field }: ChangeOf<'drop-field'>, { changes }: Comparison): string {
  const added = changes.find(
    (each) => each.kind === 'add-field' && each.collection === collection && each.field.type.name === field.type.name,
  );
  if (added?.kind !== 'add-field') return '';
  return `; if it is called ${added.field.name} now, say so there: was: ${field.name}`;
}

const none = () => [];

const ASSESSORS: { readonly [K in ChangeKind]: Assessor<K> } = {
  'create-collection': none,
  'rename-collection': none,
  'rename-field': none,
  'allow-null': none,
  'change-default': none,
  'drop-unique': none,
  'drop-reference': none,
  'add-index': none,
  'drop-index': none,

  'drop-collection': ({ collection: { name } }) => [
    {
      question: { kind: 'rows', table: name },
      always: true,
      problem: (count) => ({
        words: `${name} is no longer declared, and holds ${rows(count)}`,
        allow: permission('drop', name),
      }),
    },
  ],

  'drop-field': (change, pair, all) => [
    {
      question: { kind: 'values', table: pair!.before!.name, column: change.field.name },
      always: true,
      problem: (count) => {
        const { name } = change.collection;
        const { field } = change;
        const words = `${name}.${field.name} is no longer declared, and ${have(count, 'a value')}`;
        return { words: `${words}${renamed(change, all)}`, allow: permission('drop', name, field.name) };
      },
    },
  ],

  'add-field': ({ collection: { name }, field }, pair) => {
    if (!field.required || field.default !== undefined || field.generated !== undefined) return [];
    return [
      {
        question: { kind: 'rows', table: pair!.before!.name },
        problem: (count) => ({
          words: `${have(count, `no ${field.name}`)}: ${name}.${field.name} is new, required, and without a default`,
        }),
      },
    ];
  },

  'change-type': ({ collection: { name, unique }, field, before }, pair) => {
    const table = pair!.before!.name;
    const types = `${name}.${field.name} becomes ${field.type.name}, and was ${before.type.name}`;
    return [
      {
        question: { kind: 'unreadable', table, of: targetColumn(pair!, field) },
        problem: (count) => ({
          words: `${types}: ${count === 1 ? '1 row holds' : `${count} rows hold`} a value that is not a valid ${field.type.name}`,
        }),
      },
      {
        question: { kind: 'rows', table },
        about: field,
        problem: (count) => ({
          words: `${types}: ${rows(count)} ${count === 1 ? 'is' : 'are'} converted`,
          allow: permission('convert', name, field.name),
        }),
      },
      // Different values may become equal in another type.
      ...unique
        .filter(({ fields }) => fields.includes(field) && fields.every((each) => pair!.origin(each) !== undefined))
        .map(({ fields }) => ({ ...repeated(pair!, fields, 'is unique'), about: field })),
    ];
  },

  require: ({ collection: { name }, field }, pair) => [
    {
      question: { kind: 'nulls', table: pair!.before!.name, of: targetColumn(pair!, field) },
      problem: (count) => ({
        words: `${have(count, `no ${field.name}`)}: ${name}.${field.name} becomes required`,
        ...(field.default === undefined && field.generated === undefined
          ? {}
          : { allow: permission('fill', name, field.name) }),
      }),
    },
  ],

  'change-rules': ({ collection: { name }, field }, pair) => [
    {
      question: { kind: 'broken', table: pair!.before!.name, of: targetColumn(pair!, field) },
      problem: (count) => ({
        words: `${count === 1 ? '1 row breaks' : `${count} rows break`} the rules of ${name}.${field.name} (${ruleWords(field)})`,
        ...clearing(name, field),
      }),
    },
  ],

  'change-key': ({ collection }, pair) => [repeated(pair!, collection.key, 'is the key')],

  'add-unique': ({ unique }, pair) => (pair!.before === undefined ? [] : [repeated(pair!, unique.fields, 'is unique')]),

  'add-reference': ({ collection: { name }, reference: { field, to } }, pair, all) => {
    const { before } = pair!;
    if (before === undefined) return [];
    return [
      {
        question: {
          kind: 'dangling',
          table: before.name,
          of: targetColumn(pair!, field),
          to: targetOf(to, all, all.firstRows),
        },
        problem: (count) => ({
          words: `${count === 1 ? '1 row refers' : `${count} rows refer`} to ${to} that are not there: ${name}.${field.name} becomes a reference`,
          ...clearing(name, field),
        }),
      },
    ];
  },
};

function repeated(pair: CollectionPair, fields: readonly Field[], what: string): Risk {
  const { now, before } = pair;
  const names = fields.map(({ name }) => name).join(', ');
  return {
    question: { kind: 'repeated', table: before!.name, of: fields.map((field) => targetColumn(pair, field)) },
    problem: (count) => ({
      words: `${count === 1 ? '1 row repeats' : `${count} rows repeat`} the ${names} of another: ${now.name} (${names}) ${what}`,
    }),
  };
}

function clearing(collection: string, { required, name }: Field): { allow?: string } {
  return required ? {} : { allow: permission('clear', collection, name) };
}

function rows(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

function have(count: number, what: string): string {
  return `${rows(count)} ${count === 1 ? 'has' : 'have'} ${what}`;
}

function ruleWords({ rules }: Field): string {
  return Object.entries(rules)
    .map(([rule, value]) => `${rule} ${Array.isArray(value) ? value.join(', ') : value}`)
    .join(', ');
}
