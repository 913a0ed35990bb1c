/** Describes a migration: its steps, and its problems with the way to permit them. */
import { isDeepStrictEqual } from 'node:util';
import { isBuiltIn } from '../../collection/built-in.ts';
import type { Catalogue } from '../../collection/declaration.ts';
import { ConfigError } from '../../settings/setting.ts';
import type { Change, ChangeKind, ChangeOf, Comparison } from './changes.ts';
import type { Problem } from './risks.ts';

export interface MigrationPlan {
  /** Steps that were done, or would be. */
  readonly steps: readonly string[];
  /** Why nothing is done. */
  readonly problems: readonly Problem[];
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
export function stepsOf({ changes }: Comparison, counts: RowCounts = new Map()): string[] {
  const created = new Set(changes.flatMap((each) => (each.kind === 'create-collection' ? [each.collection] : [])));
  return changes
    .filter((change) => change.kind === 'create-collection' || !created.has(change.collection))
    .filter((change) => change.kind !== 'change-rules' || !isDeepStrictEqual(change.before.rules, change.field.rules))
    .map((change) => (WORDS[change.kind] as (change: Change, counts: RowCounts) => string)(change, counts));
}

/** The steps that create indexes. Without them, the service is only slower. */
export function indexStepsOf({ changes, ...comparison }: Comparison): string[] {
  return stepsOf({ ...comparison, changes: changes.filter(({ kind }) => kind === 'add-index') });
}

const WORDS: { readonly [K in ChangeKind]: (change: ChangeOf<K>, counts: RowCounts) => string } = {
  'create-collection': ({ collection }) => createStep(collection),
  'drop-collection': ({ collection }) => `drop table ${collection.name}`,
  'rename-collection': ({ collection, before }) => `rename table ${before.name} to ${collection.name}`,
  'change-key': ({ collection }) => `change the key of ${collection.name}`,
  'add-field': ({ collection: { name }, field }, counts) =>
    `add field ${name}.${field.name}${field.computed === undefined ? '' : waitWords(name, counts.get(name))}`,
  'drop-field': ({ collection, field }) => `drop field ${collection.name}.${field.name}`,
  'rename-field': ({ collection, field, before }) => `rename field ${collection.name}.${before.name} to ${field.name}`,
  'change-type': ({ collection, field, before }) =>
    before.type === field.type
      ? `no longer compute ${collection.name}.${field.name}`
      : `change the type of ${collection.name}.${field.name} to ${field.type.name}`,
  require: ({ collection, field }) => `require ${collection.name}.${field.name}`,
  'allow-null': ({ collection, field }) => `no longer require ${collection.name}.${field.name}`,
  'change-default': ({ collection, field }) => `change the default of ${collection.name}.${field.name}`,
  'change-rules': ({ collection, field }) => `change the rules of ${collection.name}.${field.name}`,
  'add-unique': ({ unique }) => `add unique constraint ${unique.name}`,
  'drop-unique': ({ unique }) => `drop unique constraint ${unique.name}`,
  'add-reference': ({ reference }) => `add reference ${reference.name}`,
  'drop-reference': ({ reference }) => `drop reference ${reference.name}`,
  'add-index': ({ index }) => `create index ${index.name}`,
  'drop-index': ({ index }) => `drop index ${index.name}`,
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
