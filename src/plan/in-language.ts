/**
 * Reads a plan in another language: a field with a translation becomes the translation or, where there is none, itself.
 * It applies to what a request names, before the rules of roles are added: those mean the stored fields.
 */
import { ApiError } from '../base/errors.ts';
import { memoize, memoizeText } from '../base/memo.ts';
import type { Collection, Field } from '../collection/declaration.ts';
import { type FieldExpression, PlanMap } from './map-plan.ts';
import { fieldExpression } from './resolve.ts';
import type { Expression, Predicate, ReadPlan, Shape } from './types.ts';

/** `collection` is the caller's view: a translation that the caller may not read is not used. */
export function readInLanguage(plan: ReadPlan, { among }: Collection, language: string | undefined): ReadPlan {
  return language === undefined ? plan : notWhole(plan, mapsOf(among)(language).read(plan));
}

/** The same for the result of a write. */
export function shapeInLanguage(shape: Shape, { among }: Collection, language: string | undefined): Shape {
  return language === undefined ? shape : notWhole(shape, mapsOf(among)(language).shape(shape));
}

function notWhole<Of extends Shape>(before: Of, after: Of): Of {
  return after.columns === before.columns ? after : { ...after, isWhole: false };
}

/** The same for a condition. */
export function conditionInLanguage(where: Predicate, { among }: Collection, language: string | undefined): Predicate {
  return language === undefined ? where : mapsOf(among)(language).predicate(where);
}

/** The names of fields in a body: in another language, they mean the translations. */
export function namesInLanguage(
  names: readonly string[],
  { byName }: Collection,
  language: string | undefined,
): readonly string[] {
  if (language === undefined) return names;
  const meant = names.map((name) => byName.get(name)?.translations?.get(language)?.name ?? name);
  const repeated = meant.find((name, at) => meant.indexOf(name) !== at);
  if (repeated === undefined) return meant;
  throw new ApiError('PGRST102', `the body has ${repeated} twice`, {
    details: `With Content-Language: ${language}, ${names[meant.indexOf(repeated)]} means ${repeated}.`,
    hint: 'Leave out one of them, or the header.',
  });
}

/** Cached, so that requests in one language share the mapped columns. */
const mapsOf = memoize((among: ReadonlyMap<string, Collection>) => {
  const visible = new Set([...among.values()].flatMap(({ fields }) => fields));
  return memoizeText((language) => new InLanguage(language, visible));
});

class InLanguage extends PlanMap {
  constructor(
    private readonly language: string,
    private readonly visible: ReadonlySet<Field>,
  ) {
    super();
  }

  protected override field(expression: FieldExpression): Expression {
    const translation = expression.field.translations?.get(this.language);
    if (translation === undefined || !this.visible.has(translation)) return expression;
    return { kind: 'translation', of: fieldExpression(translation), otherwise: expression, type: expression.type };
  }
}
