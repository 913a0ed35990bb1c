/** What a `select` of a collection may embed, in words and as examples: each relation under a name that means it alone. */
import type { Collection } from '../collection/declaration.ts';
import { isMany, type Relation, relationsOf } from '../collection/relations.ts';
import { Refusal } from '../errors.ts';
import { relate } from '../plan/relate.ts';

/** `categories`, or `suppliers!products_supplier_id_fkey` where the name alone could mean two. */
export function embeddingNames(collection: Collection): ReadonlyMap<string, Relation> {
  const named = relationsOf(collection).flatMap((relation): [string, Relation][] => {
    const { to, name, referring } = relation;
    const hints = [undefined, referring?.name, name];
    const ways = [
      ...hints.map((hint) => ({ target: to.name, hint })),
      { target: referring?.name ?? '', hint: undefined },
    ];
    const way = ways.find(({ target, hint }) => means(collection, target, hint) === relation);
    return way === undefined ? [] : [[way.hint === undefined ? way.target : `${way.target}!${way.hint}`, relation]];
  });
  return new Map(named);
}

function means(collection: Collection, target: string, hint: string | undefined): Relation | undefined {
  try {
    return relate(collection, target, hint);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** A paragraph for `select`; empty where nothing can be embedded. */
export function embeddingWords(collection: Collection): string {
  const names = embeddingNames(collection);
  if (names.size === 0) return '';
  const lines = [...names].map(
    ([name, relation]) =>
      `- \`${name}(…)\`: ${isMany(relation) ? `a list of ${relation.to.name}` : `one of ${relation.to.name}, or null`}`,
  );
  return `

Rows that belong to it are embedded as \`[alias:]name[!hint][!inner](select)\`, nested as deep as needed; \`...name(…)\` puts their columns beside its own. Filters, order, limit and offset of what is embedded begin with its name: \`name.field=eq.1\`, \`name.limit=3\`. A name that could mean several relationships is refused with 300 and a list of them. There are:

${lines.join('\n')}`;
}
