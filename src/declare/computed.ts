/** Validates computed fields: their expressions, their types, and properties that exclude an expression. */
import { usableFields } from '../collection/declare-collection.ts';
import type { FieldDraft } from '../collection/draft.ts';
import { compileComputed, isComputable } from '../collection/expression/expression.ts';
import { ExpressionError } from '../collection/expression/parse.ts';
import type { GivenCollection, GivenField } from './format.ts';
import type { Named } from './reader/maps.ts';
import { addMistake } from './reader/shape.ts';

const EXCLUDED = ['default', 'filled', 'onUpdate', 'references', 'translations', 'pattern'] as const;

export function checkComputed(
  { reading, value: collection }: Named<GivenCollection>,
  drafts: readonly FieldDraft[],
  key: readonly string[],
): void {
  for (const field of collection?.fields?.value ?? []) checkField(field, drafts, key);
  const names = drafts.filter(({ computed }) => computed !== undefined).map(({ name }) => name);
  for (const { value: link, at } of collection?.references?.value ?? []) {
    const name = link.fields?.value.find(({ value }) => names.includes(value))?.value;
    if (name !== undefined) addMistake(reading, at, `${name} is computed, and cannot be part of a reference`);
  }
}

function checkField(
  { name, reading, value: given }: Named<GivenField>,
  drafts: readonly FieldDraft[],
  key: readonly string[],
): void {
  const node = given?.computed?.value;
  const type = given?.type?.value;
  if (given === undefined || node?.kind !== 'text' || type === undefined) return;
  for (const property of EXCLUDED) {
    const other = given[property];
    if (other !== undefined) addMistake(reading, other.at, `computed and ${property} exclude each other`);
  }
  if (key.includes(name)) addMistake(reading, given.computed!.at, 'a key field cannot be computed');
  if (!isComputable(type)) {
    addMistake(
      reading,
      given.type!.at,
      `a field of type ${type.name} cannot be computed; use a number, text, boolean, date, time or uuid`,
    );
    return;
  }
  try {
    compileComputed(node.text, type, usableFields(drafts));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    addMistake(reading, node.placeOf(error.at), `computed: ${error.message}`);
  }
}
