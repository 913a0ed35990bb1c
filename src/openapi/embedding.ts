/** The relations that a `select` may embed, each by an unambiguous name. */

import { memoize } from '../base/memo.ts';
import type { Collection } from '../collection/declaration.ts';
import { isFiles, servedName } from '../collection/files.ts';
import { isMany, type Relation, relationsOf } from '../collection/relations.ts';
import { printName } from '../dialect/print.ts';
import { relationsNamed } from '../plan/read/relate.ts';

/** The embeddings that a description lists. The rest follow the same pattern. */
const MAX_LISTED = 50;

/** The relations by the shortest unambiguous name: `categories`, or `suppliers!products_supplier_id_fkey`. */
export const embeddingNames = memoize((collection: Collection): ReadonlyMap<string, Relation> => {
  const relationsByName = relationsOf(collection).flatMap((relation): [string, Relation][] => {
    const { to, name, referring } = relation;
    const byField = [[referring?.name ?? '']] as const;
    const forms = isFiles(to)
      ? byField
      : ([[to.name], [to.name, referring?.name], [to.name, name], ...byField] as const);
    const names = forms.flatMap(([target, hint]) =>
      isOnly(relation, relationsNamed(collection, target, hint))
        ? [hint === undefined ? printName(target) : `${printName(target)}!${printName(hint)}`]
        : [],
    );
    return names.slice(0, 1).map((shortest) => [shortest, relation]);
  });
  return new Map(relationsByName);
});

function isOnly(relation: Relation, matches: readonly Relation[]): boolean {
  return matches.length === 1 && matches[0] === relation;
}

/** A paragraph for `select`. It is empty if nothing can be embedded. */
export function embeddingWords(collection: Collection): string {
  const names = embeddingNames(collection);
  if (names.size === 0) return '';
  const lines = [...names]
    .slice(0, MAX_LISTED)
    .map(
      ([name, relation]) =>
        `- \`${name}(…)\`: ${isMany(relation) ? `a list of ${servedName(relation.to.name)}` : `one of ${servedName(relation.to.name)}, or null`}`,
    );
  const rest = names.size - lines.length;
  return `

Embed related rows as \`[alias:]name[!hint][!inner](select)\`, nested to any depth. \`...name(…)\` puts their columns beside the row's own. Filters, order, limit and offset of an embedding begin with its name: \`name.field=eq.1\`, \`name.limit=3\`. The service rejects a name that matches several relationships with 300 and lists them. The embeddings are:

${lines.join('\n')}${rest > 0 ? `\n\nand ${rest} more.` : ''}`;
}
