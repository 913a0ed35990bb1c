/** Describes a migration: its steps, and its problems with the way to permit them. */
import { isDeepStrictEqual } from 'node:util';
import { isBuiltIn } from '../../collection/built-in.ts';
import type { Catalogue, Collection, Field } from '../../collection/declaration.ts';
import { ConfigError } from '../../settings/setting.ts';
import type { Change, ChangeKind, ChangeOf, Comparison } from './changes.ts';
import type { Problem, Sentence } from './risks.ts';

export interface MigrationPlan {
  /** Steps that were done, or would be. */
  readonly steps: readonly string[];
  /** Why nothing is done. */
  readonly problems: readonly Problem[];
  /** The steps that differ by collection or field, for clients in other languages. */
  readonly sentences?: readonly Sentence[];
}

export function createStep({ name }: { readonly name: string }): string {
  return `create table ${name}`;
}

export type RowCounts = ReadonlyMap<string, number>;

/** The tables whose rows get new computed fields, by collection. */
export function recomputedTables({ changes, pairs }: Comparison): ReadonlyMap<string, string> {
  const added = changes.flatMap((each) =>
    each.kind === 'add-field' && each.field.computed ? [each.collection.name] : [],
  );
  return new Map(added.map((name) => [name, pairs.get(name)!.before!.name]));
}

/** Rows that a slow machine computes in a second, on both engines: docs/reference/computed-fields.md. */
const ROWS_PER_SECOND = 50_000;

/** How long others wait for the table; empty if they hardly notice. */
function waitWords(name: string, rows = 0): string {
  const seconds = Math.ceil(rows / ROWS_PER_SECOND);
  return seconds < 2 ? '' : ` (computed for ${rows} rows; ${name} is locked for about ${seconds} s)`;
}

/** The warnings before a migration that others notice. */
export function waitNotices(counts: RowCounts): readonly string[] {
  return [...counts].flatMap(([name, rows]) => {
    const words = waitWords(name, rows);
    return words === '' ? [] : [`new computed fields of ${name}${words}`];
  });
}

/** Constraints of a new table are not listed separately, nor those that only get the name of a renamed field. */
export function sentencesOf({ changes }: Comparison, counts: RowCounts = new Map()): Sentence[] {
  const created = new Set(changes.flatMap((each) => (each.kind === 'create-collection' ? [each.collection] : [])));
  return changes
    .filter((change) => change.kind === 'create-collection' || !created.has(change.collection))
    .filter((change) => change.kind !== 'change-rules' || !isDeepStrictEqual(change.before.rules, change.field.rules))
    .map((change) => {
      const [words, ...values] = (WORDS[change.kind] as (change: Change, counts: RowCounts) => StepWords)(
        change,
        counts,
      );
      return values.length === 0 ? { words } : { words, code: change.kind, values };
    });
}

export function stepsOf(comparison: Comparison, counts?: RowCounts): string[] {
  return sentencesOf(comparison, counts).map(({ words }) => words);
}

/** The steps that create indexes. Without them, the service is only slower. */
export function indexStepsOf({ changes, ...comparison }: Comparison): string[] {
  return stepsOf({ ...comparison, changes: changes.filter(({ kind }) => kind === 'add-index') });
}

type StepWords = readonly [words: string, ...values: string[]];

const pathOf = ({ collection, field }: { readonly collection: Collection; readonly field: Field }) =>
  `${collection.name}.${field.name}`;

/** The words of a step, and the values in them. Without values, the words are only English. */
const WORDS: { readonly [K in ChangeKind]: (change: ChangeOf<K>, counts: RowCounts) => StepWords } = {
  'create-collection': ({ collection }) => [createStep(collection), collection.name],
  'drop-collection': ({ collection: { name } }) => [`drop table ${name}`, name],
  'rename-collection': ({ collection: { name }, before }) => [
    `rename table ${before.name} to ${name}`,
    before.name,
    name,
  ],
  'change-key': ({ collection: { name } }) => [`change the key of ${name}`, name],
  'add-field': (change, counts) => {
    const { name } = change.collection;
    const wait = change.field.computed === undefined ? '' : waitWords(name, counts.get(name));
    return wait === '' ? [`add field ${pathOf(change)}`, pathOf(change)] : [`add field ${pathOf(change)}${wait}`];
  },
  'drop-field': (change) => [`drop field ${pathOf(change)}`, pathOf(change)],
  'rename-field': ({ collection, field, before }) => {
    const path = pathOf({ collection, field: before });
    return [`rename field ${path} to ${field.name}`, path, field.name];
  },
  'change-type': (change) => {
    const [path, { type }] = [pathOf(change), change.field];
    return change.before.type === type
      ? [`no longer compute ${path}`]
      : [`change the type of ${path} to ${type.name}`, path, type.name];
  },
  require: (change) => [`require ${pathOf(change)}`, pathOf(change)],
  'allow-null': (change) => [`no longer require ${pathOf(change)}`, pathOf(change)],
  'change-default': (change) => [`change the default of ${pathOf(change)}`, pathOf(change)],
  'change-rules': (change) => [`change the rules of ${pathOf(change)}`, pathOf(change)],
  'add-unique': ({ unique: { name } }) => [`add unique constraint ${name}`, name],
  'drop-unique': ({ unique: { name } }) => [`drop unique constraint ${name}`, name],
  'add-reference': ({ reference: { name } }) => [`add reference ${name}`, name],
  'drop-reference': ({ reference: { name } }) => [`drop reference ${name}`, name],
  'add-index': ({ index: { name } }) => [`create index ${name}`, name],
  'drop-index': ({ index: { name } }) => [`drop index ${name}`, name],
};

/** A value of a computed field that a stored row would have does not fit its type. */
export function cannotCompute(location: string, reason: string): ConfigError {
  return new ConfigError(
    `${location} has a row for which a new computed field fails: ${reason}. Nothing was changed. Declare a larger type, or correct the row`,
  );
}

/** The database differs from the declaration, and migrating could lose or reject stored data. */
export class MigrationRejected extends ConfigError {
  constructor(
    location: string,
    catalogue: Catalogue,
    readonly plan: MigrationPlan,
  ) {
    const declared = isBuiltIn(catalogue)
      ? 'the built-in catalogue, and no other is declared here (--collections names the file that does)'
      : 'the declaration';
    super(`${location} does not fit ${declared}; nothing was changed:\n${problemLines(plan).join('\n')}`);
  }
}

/** A command that only reads found a database that needs a migration. */
export function notMigrated(location: string, steps: readonly string[]): ConfigError {
  return new ConfigError(
    `${location} does not match the declaration, and this command does not change tables. Run catalogue migrate, which would: ${steps.join(', ')}. Or name the declaration of the database with --collections`,
  );
}

export function problemLines({ problems }: MigrationPlan): string[] {
  return problems.map(({ words, allow }) => {
    return `  ${words}${allow === undefined ? '' : `\n    to do it on purpose: catalogue migrate --allow ${allow}`}`;
  });
}

export function blockedBy(problems: readonly Problem[], allowed: readonly string[]): readonly Problem[] {
  return problems.filter(({ allow }) => allow === undefined || !allowed.includes(allow));
}
