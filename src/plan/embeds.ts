/** The embeddings of one level of a request, planned: what its columns, conditions and order may name. */
import type { Relation } from '../collection/relations.ts';
import { embedded } from '../collection/types/embedded.ts';
import type { EmbedItem } from '../dialect/tree.ts';
import type { Expression, OutputColumn, Predicate, ReadPlan } from './types.ts';

export interface PlannedEmbed {
  readonly relation: Relation;
  readonly plan: ReadPlan;
  /** Whether a row may have several. */
  readonly many: boolean;
}

export interface Embeds {
  readonly byItem: ReadonlyMap<EmbedItem, PlannedEmbed>;
}

export const NO_EMBEDS: Embeds = { byItem: new Map() };

/** By its alias or its name. */
export function embedNamed({ byItem }: Embeds, name: string): PlannedEmbed | undefined {
  for (const [item, embed] of byItem) if (item.alias === name || item.name === name) return embed;
  return undefined;
}

export function existing({ relation, plan }: PlannedEmbed): Predicate {
  return { kind: 'exists', relation, where: plan.where };
}

/** The rows themselves, as JSON. */
export function embeddedRows({ relation, plan, many }: PlannedEmbed): Expression {
  return { kind: 'embed', relation, plan, shows: 'rows', many, type: embedded };
}

/** What one column of them holds. */
export function embeddedValues({ relation, plan, many }: PlannedEmbed, column: OutputColumn): Expression {
  const one: ReadPlan = { ...plan, columns: [column] };
  return { kind: 'embed', relation, plan: one, shows: 'values', many, type: many ? embedded : column.expression.type };
}
