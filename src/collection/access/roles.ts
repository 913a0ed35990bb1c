/** Resolves the roles of a declaration: each has its own rules and those of the roles it includes. */
import { defined } from '../../base/defined.ts';
import { parseRate } from '../../base/net/rate.ts';
import type { Collection, Field, RightsRules, Role, Rule } from '../catalogue.ts';
import { RIGHTS, type Right, type RoleDraft, type RuleDraft } from '../draft.ts';
import type { ChangeWay } from '../types/operations.ts';

export function declareRoles(
  drafts: readonly RoleDraft[],
  collections: ReadonlyMap<string, Collection>,
): ReadonlyMap<string, Role> {
  const findDraft = (name: string): RoleDraft => {
    const match = drafts.find((draft) => draft.name === name);
    if (match === undefined) throw new Error(`role ${name} does not exist`);
    return match;
  };
  return new Map(
    drafts.map((draft) => {
      // The role and all included roles at any depth, each once.
      const all = new Set([draft]);
      for (const each of all) for (const name of each.include ?? []) all.add(findDraft(name));
      const isAll = [...all].some((each) => each.isAll === true);
      const rules = isAll ? [] : [...all].flatMap((each) => each.rules);
      const { name, rateLimit = '' } = draft;
      const call = new Set([...all].flatMap((each) => each.call ?? []));
      const manages = new Set([...all].flatMap((each) => each.manages ?? []));
      return [
        name,
        defined({ name, isAll, rate: parseRate(rateLimit), call, manages, rules: byCollection(rules, collections) }),
      ];
    }),
  );
}

function byCollection(
  drafts: readonly RuleDraft[],
  collections: ReadonlyMap<string, Collection>,
): ReadonlyMap<Collection, RightsRules> {
  const result = new Map<Collection, Record<Right, readonly Rule[]>>();
  for (const draft of drafts) {
    const collection = collections.get(draft.collection);
    if (collection === undefined) throw new Error(`collection ${draft.collection} does not exist`);
    const rules = result.get(collection) ?? { read: [], create: [], update: [], delete: [] };
    result.set(collection, { ...rules, [draft.right]: [...rules[draft.right], declareRule(collection, draft)] });
  }
  for (const [collection, rules] of result) {
    const needed = RIGHTS.map((right) => [right, withoutCovered(rules[right])]);
    result.set(collection, Object.fromEntries(needed) as Record<Right, readonly Rule[]>);
  }
  return result;
}

function declareRule({ name, fields, byName }: Collection, draft: RuleDraft): Rule {
  const findField = (each: string): Field => {
    const field = byName.get(each);
    if (field === undefined) throw new Error(`${name}: field ${each} does not exist`);
    return field;
  };
  const { operations } = draft;
  const changeable = fields.filter((field) => operations?.some((way) => canChange(field, way)) ?? true);
  return defined({
    where: draft.where,
    fields: new Set(draft.fields?.map(findField) ?? changeable),
    operations: operations && new Set(operations),
  });
}

/** Whether an update may change a field in this way. */
export function canChange({ type }: Pick<Field, 'type'>, way: ChangeWay): boolean {
  return way === 'set' || type.operations?.names.includes(way) === true;
}

/** Removes rules that another rule covers. */
function withoutCovered(rules: readonly Rule[]): readonly Rule[] {
  return rules.filter((rule, at) => !rules.some((other, place) => place !== at && covers(other, rule, place < at)));
}

function covers(other: Rule, rule: Rule, isEarlier: boolean): boolean {
  if (other.where !== undefined && other.where !== rule.where) return false;
  if (![...rule.fields].every((field) => other.fields.has(field))) return false;
  if (other.operations !== undefined && !rule.operations?.isSubsetOf(other.operations)) return false;
  const isSame =
    other.where === rule.where &&
    other.fields.size === rule.fields.size &&
    other.operations?.size === rule.operations?.size;
  return !isSame || isEarlier;
}
