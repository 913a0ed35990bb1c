/** Describes a migration: its steps, and its problems with the way to permit them. */
import { isDeepStrictEqual } from 'node:util';
import { type Sentence, say, type Wording } from '../../base/sentence.ts';
import { isBuiltIn } from '../../collection/built-in.ts';
import type { Catalogue, Collection, Field } from '../../collection/declaration.ts';
import { ConfigError } from '../../settings/setting.ts';
import type { Change, ChangeKind, ChangeOf, Comparison } from './changes.ts';
import type { Problem } from './risks.ts';

export interface MigrationPlan {
  /** Steps that were done, or would be. */
  readonly steps: readonly string[];
  /** Why nothing is done. */
  readonly problems: readonly Problem[];
  /** The steps, for clients in other languages. */
  readonly sentences?: readonly Sentence[];
}

export function createStep({ name }: { readonly name: string }): Sentence {
  return say`create table ${name}`;
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
function waitWords(name: string, rows = 0): Wording {
  const seconds = Math.ceil(rows / ROWS_PER_SECOND);
  return seconds < 2 ? '' : say` (computed for ${rows} rows; ${name} is locked for about ${seconds} s)`;
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
    .map((change) => (SENTENCES[change.kind] as (change: Change, counts: RowCounts) => Sentence)(change, counts));
}

export function stepsOf(comparison: Comparison, counts?: RowCounts): string[] {
  return sentencesOf(comparison, counts).map(({ words }) => words);
}

/** The steps that create indexes. Without them, the service is only slower. */
export function indexStepsOf({ changes, ...comparison }: Comparison): string[] {
  return stepsOf({ ...comparison, changes: changes.filter(({ kind }) => kind === 'add-index') });
}

const pathOf = ({ collection, field }: { readonly collection: Collection; readonly field: Field }) =>
  `${collection.name}.${field.name}`;

const SENTENCES: { readonly [K in ChangeKind]: (change: ChangeOf<K>, counts: RowCounts) => Sentence } = {
  'create-collection': ({ collection }) => createStep(collection),
  'drop-collection': ({ collection: { name } }) => say`drop table ${name}`,
  'rename-collection': ({ collection: { name }, before }) => say`rename table ${before.name} to ${name}`,
  'change-key': ({ collection: { name } }) => say`change the key of ${name}`,
  'add-field': (change, counts) => {
    const { name } = change.collection;
    const wait = change.field.computed === undefined ? '' : waitWords(name, counts.get(name));
    return say`add field ${pathOf(change)}${wait}`;
  },
  'drop-field': (change) => say`drop field ${pathOf(change)}`,
  'rename-field': ({ collection, field, before }) =>
    say`rename field ${pathOf({ collection, field: before })} to ${field.name}`,
  'change-type': (change) => {
    const [path, { type }] = [pathOf(change), change.field];
    return change.before.type === type
      ? say`no longer compute ${path}`
      : say`change the type of ${path} to ${type.name}`;
  },
  require: (change) => say`require ${pathOf(change)}`,
  'allow-null': (change) => say`no longer require ${pathOf(change)}`,
  'change-default': (change) => say`change the default of ${pathOf(change)}`,
  'change-rules': (change) => say`change the rules of ${pathOf(change)}`,
  'add-unique': ({ unique: { name } }) => say`add unique constraint ${name}`,
  'drop-unique': ({ unique: { name } }) => say`drop unique constraint ${name}`,
  'add-reference': ({ reference: { name } }) => say`add reference ${name}`,
  'drop-reference': ({ reference: { name } }) => say`drop reference ${name}`,
  'add-index': ({ index: { name } }) => say`create index ${name}`,
  'drop-index': ({ index: { name } }) => say`drop index ${name}`,
};

/** A value of a computed field that a stored row would have does not fit its type. */
export function cannotCompute(location: Wording, reason: Wording): ConfigError {
  return new ConfigError(
    say`${location} has a row for which a new computed field fails: ${reason}. Nothing was changed. Declare a larger type, or correct the row`,
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
