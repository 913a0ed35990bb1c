/** Describes a migration: its steps, and its problems with the way to permit them. */
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

/** Constraints of a new table are not listed separately. */
export function stepsOf({ changes }: Comparison): string[] {
  const created = new Set(changes.flatMap((each) => (each.kind === 'create-collection' ? [each.collection] : [])));
  return changes
    .filter((change) => change.kind === 'create-collection' || !created.has(change.collection))
    .map((change) => (WORDS[change.kind] as (change: Change) => string)(change));
}

const WORDS: { readonly [K in ChangeKind]: (change: ChangeOf<K>) => string } = {
  'create-collection': ({ collection }) => `table ${collection.name}`,
  'drop-collection': ({ collection }) => `removed table ${collection.name}`,
  'rename-collection': ({ collection, before }) => `table ${before.name} renamed to ${collection.name}`,
  'change-key': ({ collection }) => `key of ${collection.name}`,
  'add-field': ({ collection, field }) => `field ${collection.name}.${field.name}`,
  'drop-field': ({ collection, field }) => `removed field ${collection.name}.${field.name}`,
  'rename-field': ({ collection, field, before }) => `field ${collection.name}.${before.name} renamed to ${field.name}`,
  'change-type': ({ collection, field }) => `type of ${collection.name}.${field.name}: ${field.type.name}`,
  require: ({ collection, field }) => `${collection.name}.${field.name} required`,
  'allow-null': ({ collection, field }) => `${collection.name}.${field.name} not required`,
  'change-default': ({ collection, field }) => `default of ${collection.name}.${field.name}`,
  'change-rules': ({ collection, field }) => `rules of ${collection.name}.${field.name}`,
  'add-unique': ({ unique }) => `unique ${unique.name}`,
  'drop-unique': ({ unique }) => `removed unique ${unique.name}`,
  'add-reference': ({ reference }) => `reference ${reference.name}`,
  'drop-reference': ({ reference }) => `removed reference ${reference.name}`,
  'add-index': ({ index }) => `index ${index.name}`,
  'drop-index': ({ index }) => `removed index ${index.name}`,
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

export function problemLines({ problems }: MigrationPlan): string[] {
  return problems.map(({ words, allow }) => {
    return `  ${words}${allow === undefined ? '' : `\n    to do it on purpose: catalogue migrate --allow ${allow}`}`;
  });
}

export function blockedBy(problems: readonly Problem[], allowed: readonly string[]): readonly Problem[] {
  return problems.filter(({ allow }) => allow === undefined || !allowed.includes(allow));
}
