/** Finds the relation of an embedding by collection, referencing field or constraint, with an optional hint. */

import { ApiError } from '../../base/errors.ts';
import { memoize } from '../../base/memo.ts';
import { nearestName, suggestName } from '../../base/nearest-name.ts';
import { type Sentence, say, type Wording } from '../../base/sentence.ts';
import { fieldDenied, tableDenied } from '../../collection/access/permission-errors.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { FILES, FILES_NAME } from '../../collection/files.ts';
import { computedRelation, isSelf, pairsOf, type Relation, relationsOf } from '../../collection/relations.ts';
import { isHidden } from '../resolve.ts';

export function relate(from: Collection, target: string, hint: string | undefined): Relation {
  const relations = relationsNamed(from, target, hint);
  if (relations.length === 1) return relations[0]!;
  throw relations.length === 0 ? noRelation(from, target, hint) : ambiguous(from, target, relations);
}

export function relationsNamed(from: Collection, given: string, hint: string | undefined): readonly Relation[] {
  const target = given === FILES_NAME && !from.among.has(given) ? FILES : given;
  const computed = hint === undefined ? computedRelation(from)(target) : undefined;
  // A function replaces references of the same name, as in PostgREST.
  if (computed !== undefined) return [computed];
  return (byTarget(from).get(target) ?? []).filter((relation) =>
    isSelf(relation) ? namesSelf(relation, target, hint) : names(relation, target, hint),
  );
}

/** An index of the relations by every target that may name them: a collection can have a thousand. */
const byTarget = memoize((from: Collection) => {
  const index = new Map<string, Relation[]>();
  for (const relation of relationsOf(from)) {
    const { to, name } = relation;
    const fields = singleFields(relation).slice(0, 1);
    for (const target of new Set(isUnnamed(relation) ? [to.name] : [to.name, name, ...fields])) {
      const earlier = index.get(target);
      if (earlier === undefined) index.set(target, [relation]);
      else earlier.push(relation);
    }
  }
  return index;
});

/** Only the name of its collection names a link to a view: other links have the same constraint and field. */
function isUnnamed(relation: Relation): boolean {
  const { isLink, to } = relation;
  return isLink === true && (to.key.length === 0 || to.draft.writes !== undefined) && !isSelf(relation);
}

/** The fields on both sides, if a reference has a single one. Only then they name it. */
function singleFields({ outer, inner, also = [] }: Relation): readonly string[] {
  return also.length === 0 ? [outer.name, inner.name] : [];
}

function names(relation: Relation, target: string, hint: string | undefined): boolean {
  const { to, name, through } = relation;
  const fields = singleFields(relation);
  if (hint === undefined)
    return to.name === target || (through === undefined && (name === target || fields[0] === target));
  if (to.name !== target) return false;
  if (through !== undefined) return through.collection.name === hint;
  return name === hint || fields.includes(hint);
}

/**
 * A self reference gives two relations: its collection name with the field as a hint means the referencing rows, the
 * field name means the referenced row. Through a join collection, both directions would have the same name, so neither
 * is available.
 */
function namesSelf(relation: Relation, target: string, hint: string | undefined): boolean {
  const { to, inner, outer, referring, through, also = [], name } = relation;
  if (through !== undefined) return false;
  if (also.length > 0)
    return outer === referring ? name === target : to.name === target && [undefined, name].includes(hint);
  if (outer === referring) return hint === undefined && outer.name === target;
  return to.name === target && (hint === undefined || hint === inner.name);
}

function noRelation(from: Collection, target: string, hint: string | undefined): ApiError {
  const { name, view, among, draft } = from;
  if (view?.of.among.has(target) === true && !among.has(target)) return tableDenied(target, 'read');
  const hidden = [target, hint].find((each) => each !== undefined && isHidden(from, each));
  if (hidden !== undefined) return fieldDenied(name, hidden, 'read');
  const to = among.get(target);
  if (to !== undefined && hint !== undefined && isHidden(to, hint)) return fieldDenied(target, hint, 'read');
  const relatedNames = [...new Set(relationsOf(from).map(({ to }) => to.name))];
  const nearest = nearestName(target, relatedNames);
  const using = hint === undefined ? '' : say` using the hint '${hint}'`;
  const schema = draft.schema === undefined ? '' : ` '${draft.schema}'`;
  const others =
    draft.schema === undefined ? `${name} is related to: ${relatedNames.join(', ') || 'nothing'}.` : undefined;
  return new ApiError(
    'PGRST200',
    say`Could not find a relationship between '${name}' and '${target}' in the schema cache`,
    {
      details: say`Searched for a foreign key relationship between '${name}' and '${target}'${using} in the schema${schema}, but no matches were found.`,
      hint:
        nearest === undefined || nearest === target ? others : `Perhaps you meant '${nearest}' instead of '${target}'.`,
      suggestion: relatedNames.includes(target)
        ? suggestHints(
            target,
            relationsOf(from).filter(({ to }) => to.name === target),
          )
        : suggestName(target, relatedNames, say`${name} is related to ${relatedNames.join(', ') || say`nothing`}`),
    },
  );
}

function ambiguous({ name }: Collection, target: string, found: readonly Relation[]): ApiError {
  const sorted = [...found].sort((one, other) => (one.name < other.name ? -1 : 1));
  const choices = sorted.map((relation) => `'${target}!${hintFor(relation)}'`).join(', ');
  return new ApiError(
    'PGRST201',
    say`Could not embed because more than one relationship was found for '${name}' and '${target}'`,
    {
      candidates: sorted.map((relation) => ({
        cardinality: relation.cardinality,
        embedding: `${name} with ${relation.to.name}`,
        relationship: describe(relation),
      })),
      suggestion: suggestHints(target, sorted),
      hint: say`Try changing '${target}' to one of the following: ${choices}. Find the desired relationship in the 'details' key.`,
    },
  );
}

/** The shortest hints: the referencing field, if it is a single one. */
function suggestHints(target: string, relations: readonly Relation[]): Sentence {
  const hints = relations.map(({ referring, also = [], name }) =>
    also.length === 0 ? (referring?.name ?? name) : name,
  );
  const [first, ...others] = hints.map((hint) => `${target}!${hint}`);
  return say`write ${others.reduce<Wording>((list, each) => say`${list} or ${each}`, first!)}`;
}

/** The hint that selects this relation. */
function hintFor(relation: Relation): string {
  return isSelf(relation) && (relation.also ?? []).length === 0 ? relation.inner.name : relation.name;
}

function describe(relation: Relation): string {
  const { name, from, to, through } = relation;
  const list = (fields: readonly Field[]) => `(${fields.map((field) => field.name).join(', ')})`;
  if (through === undefined) {
    const pairs = pairsOf(relation);
    const [outer, inner] = [pairs.map(([own]) => own), pairs.map(([, other]) => other)];
    return `${name} using ${from.name}${list(outer)} and ${to.name}${list(inner)}`;
  }
  const { near, far } = through;
  return `${name} using ${near.name}${list(near.fields)} and ${far.name}${list(far.fields)}`;
}
