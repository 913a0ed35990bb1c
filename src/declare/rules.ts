/** Validates the rules of a field: each applies to some types, and the default must satisfy it. */
import { defined } from '../base/defined.ts';
import { type Sentence, say } from '../base/sentence.ts';
import { type FieldDraft, VALUE_RULES } from '../collection/draft.ts';
import { compareValues } from '../collection/types/compare.ts';
import { fileKind } from '../collection/types/file.ts';
import { can, type Type } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { compileRegex } from '../text/regex.ts';
import type { GivenField } from './format.ts';
import { addMistake, type Reading, valuesOf } from './reader/shape.ts';
import { readValue, type TypedValue } from './reader/values.ts';

const RULE_NAMES = [...VALUE_RULES, 'onUpdate', 'mediaTypes', 'maxBytes', 'keepMetadata', 'maxCount'] as const;
type RuleName = (typeof RULE_NAMES)[number];

/** Dates and times have a current value. */
const isTime = (type: Type) => type.generated?.now !== undefined;
const isOrdered = (type: Type) => can(type, 'number') || isTime(type);
const isFile = (type: Type) => fileKind(type) !== undefined;
const isFileList = (type: Type) => type.element?.file !== undefined;
const isText = (type: Type) => can(type, 'text');
const isSimple = (type: Type) => !can(type, 'json') && !can(type, 'array') && !can(type, 'boolean');

const SCOPES: Readonly<Record<RuleName, { readonly isFor: (type: Type) => boolean; readonly words: Sentence }>> = {
  minimum: { isFor: isOrdered, words: say`numbers, dates and times` },
  maximum: { isFor: isOrdered, words: say`numbers, dates and times` },
  maxLength: { isFor: isText, words: say`texts` },
  pattern: { isFor: isText, words: say`texts` },
  oneOf: { isFor: isSimple, words: say`numbers, texts, dates and times` },
  onUpdate: { isFor: isTime, words: say`dates and times` },
  mediaTypes: { isFor: isFile, words: say`files` },
  maxBytes: { isFor: isFile, words: say`files` },
  keepMetadata: { isFor: isFile, words: say`files` },
  maxCount: { isFor: isFileList, words: say`lists of files` },
};

export interface Rules {
  readonly draft: Pick<FieldDraft, RuleName>;
  /** The rule that a default violates, in words. */
  readonly broken: (value: Value) => Sentence | undefined;
}

export function readRules(given: GivenField, type: Type, reading: Reading): Rules {
  const scoped = withinScope(given, type, reading);
  const { maxLength, pattern } = scoped;
  const bound = (name: 'minimum' | 'maximum') =>
    scoped[name] === undefined ? undefined : readValue(type, scoped[name].value, reading, name);
  const [minimum, maximum] = [bound('minimum'), bound('maximum')];
  if (minimum !== undefined && maximum !== undefined && compareValues(type, minimum.stored, maximum.stored) > 0)
    addMistake(
      reading,
      scoped.minimum!.at,
      say`minimum ${String(minimum.plain)} is greater than maximum ${String(maximum.plain)}`,
    );
  const oneOf = choices(scoped, type, reading);
  return {
    draft: defined({
      minimum: minimum?.plain as number | string | undefined,
      maximum: maximum?.plain as number | string | undefined,
      ...valuesOf(scoped, 'maxLength', 'pattern'),
      oneOf: oneOf?.map(({ plain }) => plain as number | string),
      ...valuesOf(scoped, 'onUpdate', 'mediaTypes', 'maxBytes', 'keepMetadata', 'maxCount'),
    }),
    broken: (value) => {
      const compared = (limit: TypedValue) => compareValues(type, value, limit.stored);
      if (minimum !== undefined && compared(minimum) < 0)
        return say`default is less than minimum ${String(minimum.plain)}`;
      if (maximum !== undefined && compared(maximum) > 0)
        return say`default is greater than maximum ${String(maximum.plain)}`;
      if (oneOf !== undefined && !oneOf.some((each) => compared(each) === 0)) return say`default is not among oneOf`;
      if (maxLength !== undefined && [...String(value)].length > maxLength.value)
        return say`default is longer than maxLength`;
      if (pattern !== undefined && !compileRegex(pattern.value, false).test(String(value))) {
        return say`default does not match pattern`;
      }
      return undefined;
    },
  };
}

/** Removes rules that do not apply to the type; each is a mistake. */
function withinScope(given: GivenField, type: Type, reading: Reading): GivenField {
  const misplaced = RULE_NAMES.filter((name) => given[name] !== undefined && !SCOPES[name].isFor(type));
  for (const name of misplaced)
    addMistake(reading, given[name]!.at, say`${name} is for ${SCOPES[name].words}, not ${type.name}`);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !misplaced.includes(name as RuleName)));
}

function choices({ oneOf }: GivenField, type: Type, reading: Reading): readonly TypedValue[] | undefined {
  if (oneOf === undefined) return undefined;
  const values: TypedValue[] = [];
  for (const { value: node, at } of oneOf.value) {
    const value = readValue(type, node, reading, say`a value of oneOf`);
    if (value === undefined) continue;
    if (values.some(({ stored }) => compareValues(type, stored, value.stored) === 0)) {
      addMistake(reading, at, say`oneOf has ${String(value.plain)} twice`);
    } else values.push(value);
  }
  return values;
}
