/** Adds the collections of comments that a declaration names. */

import { about, type Sentence, say } from '../base/sentence.ts';
import { commentsOn, rowField } from '../collection/comments.ts';
import type { CollectionDraft } from '../collection/draft.ts';
import type { GivenCollection } from './format.ts';
import { nameProblem } from './names.ts';
import type { Named } from './reader/maps.ts';
import { addMistake } from './reader/shape.ts';

export function withComments(
  declared: readonly Named<GivenCollection>[],
  drafts: readonly CollectionDraft[],
): readonly CollectionDraft[] {
  const names = new Set(declared.map(({ name }) => name));
  const added = declared.flatMap(({ name, reading, value }): readonly CollectionDraft[] => {
    const given = value?.comments;
    const draft = drafts.find((each) => each.name === name);
    if (given === undefined || draft === undefined) return [];
    const problem = names.has(given.value)
      ? say`${given.value} is another collection; choose another name`
      : problemOf(draft);
    if (problem !== undefined) return addMistake(reading, given.at, about('comments', problem)) ?? [];
    names.add(given.value);
    return [commentsOn(draft, given.value)];
  });
  return added.length === 0 ? drafts : [...drafts, ...added];
}

function problemOf({ key }: CollectionDraft): Sentence | undefined {
  if (key.length === 0) return say`rows without a key cannot have comments`;
  return key.map((name) => nameProblem('field', rowField(name))).find((problem) => problem !== undefined);
}

/** The names of all collections, also of comments. */
export function collectionNames(
  declared: readonly Named<GivenCollection>[],
  drafts: readonly CollectionDraft[],
): readonly string[] {
  return [...declared, ...drafts.filter((each) => each.commentsOn !== undefined)].map(({ name }) => name);
}
