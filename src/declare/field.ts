/** Validates one field of a declaration against its type. References are validated when all collections are known. */
import { didYouMean } from '../base/nearest-name.ts';
import { about, say } from '../base/sentence.ts';
import { copiedBy } from '../collection/declare-collection.ts';
import type { FieldDraft } from '../collection/draft.ts';
import { fileKind } from '../collection/types/file.ts';
import { can, type Type } from '../collection/types/type.ts';
import type { GivenField } from './format.ts';
import type { Node } from './reader/document.ts';
import type { Named } from './reader/maps.ts';
import { addMistake, type Reading, valuesOf } from './reader/shape.ts';
import { readValue } from './reader/values.ts';
import { type Rules, readRules } from './rules.ts';

/** Defaults that are generated per row. */
const GENERATED = ['now', 'uuid'] as const;

/** Undefined if the type is unknown, which is recorded. `references` are the fields that refer to a collection. */
export function draftField(
  { name, reading, value: given }: Named<GivenField>,
  isKey: boolean,
  references: readonly string[],
): FieldDraft | undefined {
  const type = given?.type?.value;
  if (given === undefined || type === undefined) return undefined;
  if (isKey && given.required?.value === false) {
    addMistake(reading, given.required.at, say`a key field is always required; remove required: false`);
  }
  const filled = given.filled?.value;
  if (filled && given.default !== undefined) {
    const problem = say`filled and default exclude each other: filled means the default of the database`;
    addMistake(reading, given.filled!.at, problem);
  }
  const rules = readRules(given, type, reading);
  return {
    name,
    type: type.name,
    ...valuesOf(given, 'title', 'description', 'was', 'role'),
    ...switchesOf(given, 'required'),
    ...readDefault(given, type, rules, reading, references),
    ...switchesOf(given, 'unique', 'indexed', 'readOnly'),
    ...(given.computed?.value.kind === 'text' ? { computed: given.computed.value.text, readOnly: true } : {}),
    ...(filled ? { filled } : {}),
    ...readReference(given, type, isKey || given.required?.value === true, reading),
    ...rules.draft,
  };
}

/** The properties that are set to true. */
function switchesOf<Name extends keyof GivenField>(given: GivenField, ...names: readonly Name[]) {
  const on = names.filter((name) => given[name]?.value === true).map((name) => [name, true]);
  return Object.fromEntries(on) as { [Each in Name]?: true };
}

function readDefault(
  { default: given, oneOf }: GivenField,
  type: Type,
  rules: Rules,
  reading: Reading,
  references: readonly string[],
): Pick<FieldDraft, 'default'> {
  if (given === undefined) return {};
  const node = given.value;
  const fields = references.map((name) => ({ name, references: true }));
  if (node.kind === 'text' && copiedBy({ fields }, node.text) !== undefined) return { default: node.text };
  const [, path] = (node.kind === 'text' && !can(type, 'text') && /^\{([^{}.]+)\./.exec(node.text)) || [];
  if (path !== undefined) {
    const problem = say`${path} is not a reference of this collection${didYouMean(path, references)}`;
    addMistake(reading, node.at, about('default', problem));
    return {};
  }
  const word = wordOf(node);
  if (word !== undefined && type.generated?.[word] !== undefined) return { default: word };
  const isChoice = oneOf?.value.some(({ value }) => wordOf(value) === word) === true;
  if (word !== undefined && !isChoice) {
    const whose = word === 'now' ? say`dates and times` : say`fields of type ${word}`;
    addMistake(reading, node.at, say`default ${word} is for ${whose}, not ${type.name}`);
    return {};
  }
  const value = readValue(type, node, reading, 'default');
  const broken = value === undefined ? undefined : rules.broken(value.stored);
  if (broken !== undefined) addMistake(reading, node.at, broken);
  return value === undefined ? {} : { default: value.plain };
}

function wordOf(node: Node): (typeof GENERATED)[number] | undefined {
  return node.kind === 'text' ? GENERATED.find((word) => word === node.text) : undefined;
}

function readReference(
  { references }: GivenField,
  type: Type,
  isRequired: boolean,
  reading: Reading,
): Pick<FieldDraft, 'references'> {
  const collection = references?.value.collection?.value;
  if (references === undefined || collection === undefined) return {};
  if (fileKind(type) !== undefined)
    addMistake(reading, references.at, say`a field of type ${type.name} refers to a file; remove references`);
  const onDelete = references.value.onDelete?.value ?? 'restrict';
  if (onDelete === 'set null' && isRequired) {
    addMistake(
      reading,
      references.value.onDelete!.at,
      about('onDelete', say`set null is not for a required field, nor for a key`),
    );
  }
  return { references: { collection, onDelete, ...valuesOf(references.value, 'constraint', 'circles') } };
}
