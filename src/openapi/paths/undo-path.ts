/** The operation that reverts changes. */
import { MAX_UNDO_CHANGES } from '../../base/limits/http.ts';
import type { Components } from '../component.ts';
import type { JsonObject } from '../json.ts';
import { operation } from '../operation.ts';
import { answer, JSON_OF } from '../responses.ts';

const ROW = {
  collection: { type: 'string' },
  key: { type: 'string', description: 'The key; a JSON list if it has several fields.' },
};
const SKIPPED = {
  type: 'object',
  required: ['collection', 'key', 'seq'],
  properties: { ...ROW, seq: { type: 'integer', description: 'The last change that is not reverted.' } },
};
const VALUES = { type: ['object', 'null'] };
const CHANGE = {
  type: 'object',
  required: ['undoes', 'collection', 'key', 'kind', 'before', 'after'],
  properties: {
    undoes: { type: 'integer', description: 'The position of the reverted change.' },
    ...ROW,
    kind: { enum: ['insert', 'update', 'delete'] },
    before: VALUES,
    after: VALUES,
  },
};
const ANSWER = {
  type: 'object',
  required: ['undone', 'skipped'],
  properties: {
    undone: { type: 'integer', description: 'The number of reverted changes.' },
    skipped: { type: 'array', items: SKIPPED },
    changes: { type: 'array', items: CHANGE, description: 'With Prefer: return=representation.' },
  },
};

export function undoPath(components: Components): JsonObject {
  return {
    post: operation(components, {
      id: 'undo',
      tag: 'History',
      summary: 'Revert changes',
      description: `Reverts the changes that the filters select, in one transaction; at most ${MAX_UNDO_CHANGES}. At least one filter on a field of \`changes\` is required.`,
      parameters: ['filter', 'Prefer'],
      answers: { '200': answer(components, 'What was reverted.', ['Preference-Applied'], JSON_OF(ANSWER)) },
    }),
  };
}
