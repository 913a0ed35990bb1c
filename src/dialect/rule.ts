/** Parses the `where` of a rule: conditions as in a request, on fields of the row or on related rows. */
import { FAIL, type Report } from '../base/error-list.ts';
import { ApiError } from '../base/errors.ts';
import { splitQuery } from '../base/net/query-string.ts';
import { say } from '../base/sentence.ts';
import { parseFilter } from './filter.ts';
import { isLogicKey, parseRuleLogic, readRelation } from './logic.ts';
import { Scanner } from './names.ts';
import { isParameter, splitKey } from './query.ts';
import type { RelationName, RuleCondition } from './tree.ts';

/** All conditions must hold. A rule has nothing else: `report` receives the errors of other parameters. */
export function parseRule(text: string, report: Report = FAIL): readonly RuleCondition[] {
  const pairs = splitQuery(text);
  if (pairs.length === 0) report(new ApiError('PGRST100', say`the rule has no condition`));
  return pairs.flatMap(([name, value]): readonly RuleCondition[] => {
    const { steps, key } = splitKey(name);
    if (isParameter(key)) {
      report(new ApiError('PGRST100', say`${key} is not a condition; a rule has conditions alone`));
      return [];
    }
    const path = steps.map((step) => `${step}.`).join('');
    const condition = isLogicKey(key) ? parseRuleLogic(key, value) : parseFilter(key, value, path);
    return [steps.map(relationIn).reduceRight<RuleCondition>(within, condition)];
  });
}

function relationIn(step: string): RelationName {
  const scanner = new Scanner('filter', step);
  const relation = readRelation(scanner);
  scanner.expectEnd();
  return relation;
}

function within(term: RuleCondition, relation: RelationName): RuleCondition {
  return { kind: 'related', ...relation, terms: [term] };
}
