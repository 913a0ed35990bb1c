/** The planned embeddings of one level, which columns, conditions and order may refer to. */

import { ApiError } from '../../base/errors.ts';
import type { Collection } from '../../collection/declaration.ts';
import type { Relation } from '../../collection/relations.ts';
import { embedded } from '../../collection/types/embedded.ts';
import type { EmbedItem } from '../../dialect/tree.ts';
import { type Expression, NEVER, type OutputColumn, type Predicate, type ReadPlan } from '../types.ts';

export interface PlannedEmbed {
  readonly relation: Relation;
  /** The embedded collection as the caller's role sees it. */
  readonly to: Collection;
  readonly plan: ReadPlan;
  /** Whether a row may have several. */
  readonly many: boolean;
  readonly shown: ShownNames;
}

/** The column names of an embedding, with repetitions. */
export interface ShownNames {
  readonly named: readonly string[];
  /** The names that `*` stands for. */
  readonly starred: readonly string[];
}

export interface Embeds {
  readonly byItem: ReadonlyMap<EmbedItem, PlannedEmbed>;
}

export const NO_EMBEDS: Embeds = { byItem: new Map() };

/** The name in the result and in parameters: the alias, if any. */
export function embedName({ alias, name }: EmbedItem): string {
  return alias ?? name;
}

export function findEmbed({ byItem }: Embeds, name: string): PlannedEmbed | undefined {
  for (const [item, embed] of byItem) if (embedName(item) === name) return embed;
  return undefined;
}

export function notEmbedded(name: string): ApiError {
  return new ApiError('PGRST108', `'${name}' is not an embedded resource in this request`, {
    hint: `Verify that '${name}' is included in the 'select' query parameter, and that its alias is used where it has one.`,
  });
}

/** Tests whether the embedding has any row after its conditions and page. */
export function existsPredicate({ relation, plan }: PlannedEmbed): Predicate {
  const { where, groupBy, offset, limit } = plan;
  if (limit === 0) return NEVER;
  // An aggregate without groups always gives one row.
  if (groupBy?.length === 0) return { kind: 'constant', value: offset === 0 };
  const skipped = offset === 0 ? {} : { offset, ...(groupBy === undefined ? {} : { groupBy }) };
  return { kind: 'exists', relation, where, ...skipped };
}

export function embeddedRows({ relation, plan, many }: PlannedEmbed): Expression {
  return { kind: 'embed', relation, plan, shows: 'rows', many, type: embedded };
}

/** The values of one column of the embedded rows. */
export function embeddedValues(
  { relation, plan, many }: Pick<PlannedEmbed, 'relation' | 'plan' | 'many'>,
  column: OutputColumn,
): Expression {
  const one: ReadPlan = { ...plan, columns: [column] };
  return { kind: 'embed', relation, plan: one, shows: 'values', many, type: many ? embedded : column.expression.type };
}
