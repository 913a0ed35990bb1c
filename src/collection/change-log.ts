/** The built-in collection `changes`: the log of changes, as a caller may read it. Clients cannot write it. */
import { lazy } from '../base/memo.ts';
import type { Collection } from './catalogue.ts';
import { declareCollection } from './declare-collection.ts';
import { fieldDrafts } from './draft.ts';

/** A declared collection of this name hides it. */
export const CHANGES_NAME = 'changes';
/** Its name in roles, also if a collection of its short name is declared. */
export const CHANGES_RULES = 'catalogue/changes';

const changes = lazy(() =>
  declareCollection({
    name: CHANGES_NAME,
    title: 'Changes',
    description: 'Every change of a row, oldest first.',
    key: ['seq'],
    fields: fieldDrafts({
      seq: { type: 'int8', description: 'The position in the log. Later changes have larger ones.' },
      at: { type: 'timestamptz', required: true, description: 'When the row changed.' },
      actor: { type: 'text', description: 'The name of the user, key or token that wrote.' },
      role: { type: 'text', description: 'The role of the writer.' },
      request_id: { type: 'text', description: 'The X-Request-Id of the writing request.' },
      collection: { type: 'text', required: true, description: 'The collection of the row.' },
      key: { type: 'text', indexed: true, description: 'The key of the row; a JSON list if it has several fields.' },
      kind: { type: 'text', required: true, oneOf: ['insert', 'update', 'delete'] },
      before: { type: 'json', description: 'The row before; for an update, the changed fields.' },
      after: { type: 'json', description: 'The row after; for an update, the changed fields.' },
    }),
  }),
);

export function changesOf(among: ReadonlyMap<string, Collection>): Collection {
  return { ...changes(), among };
}

export function isChangeLog({ draft, view }: Collection): boolean {
  return (view?.of.draft ?? draft) === changes().draft;
}
