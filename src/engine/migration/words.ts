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

/** The step that creates the table of a collection. */
export function createStep({ name }: { readonly name: string }): string {
  return `create table ${name}`;
}

/** Constraints of a new table are not listed separately, nor those that only get the name of a renamed field. */
export function stepsOf({ changes }: Comparison): string[] {
  const created = new Set(changes.flatMap((each) => (each.kind === 'create-collection' ? [each.collection] : [])));
  return changes
    .filter((change) => change.kind === 'create-collection' || !created.has(change.collection))
    .filter((change) => change.kind !== 'change-rules' || !isDeepStrictEqual(change.before.rules, change.field.rules))
    .map((change) => (WORDS[change.kind] as (change: Change) => string)(change));
}

/** The steps that create indexes. Without them, the service is only slower. */
export function indexStepsOf({ changes, ...comparison }: Comparison): string[] {
  return stepsOf({ ...comparison, changes: changes.filter(({ kind }) => kind === 'add-index') });
}

const WORDS: { readonly [K in ChangeKind]: (change: ChangeOf<K>) => string } = {
  'create-collection': ({ collection }) => createStep(collection),
  'drop-collection': ({ collection }) => `drop table ${collection.name}`,
  'rename-collection': ({ collection, before }) => `rename table ${before.name} to ${collection.name}`,
  'change-key': ({ collection }) => `change the key of ${collection.name}`,
  'add-field': ({ collection, field }) => `add field ${collection.name}.${field.name}`,
  'drop-field': ({ collection, field }) => `drop field ${collection.name}.${field.name}`,
  'rename-field': ({ collection, field, before }) => `rename field ${collection.name}.${before.name} to ${field.name}`,
  'change-type': ({ collection, field }) => `change the type of ${collection.name}.${field.name} to ${field.type.name}`,
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
