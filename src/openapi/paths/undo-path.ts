/** The operation that reverts changes. */
import { MAX_UNDO_CHANGES, MAX_UNDO_TRANSACTION } from '../../base/limits/http.ts';
import type { Components, JsonObject } from '../component.ts';
import { operation } from '../parameters.ts';
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
    undone_before: { type: 'integer', description: 'The number of changes that an earlier undo reverted, if any.' },
    skipped: { type: 'array', items: SKIPPED },
    changes: { type: 'array', items: CHANGE, description: 'With Prefer: return=representation.' },
  },
};

/** A line of a streamed answer; the last one may be an error. */
const LINE = {
  ...ANSWER,
  properties: {
    ...ANSWER.properties,
    undone: { type: 'integer', description: 'The number of changes reverted so far.' },
    total: { type: 'integer', description: 'The number of changes to revert.' },
    position: { type: 'string', description: 'As the header Catalogue-Position, if a read could miss the step.' },
  },
};

export function undoPath(components: Components): JsonObject {
  const content = { ...JSON_OF(ANSWER), 'application/x-ndjson': { schema: LINE } };
  return {
    post: operation(components, {
      id: 'undo',
      tag: 'History',
      summary: 'Revert changes',
      description: `Reverts the changes that the filters select, at most ${MAX_UNDO_CHANGES}: in one transaction, or in steps if there are more than ${MAX_UNDO_TRANSACTION}. At least one filter on a field of \`changes\` is required. With Accept: application/x-ndjson, each line has the progress after a step.`,
      parameters: ['filter', 'Prefer'],
      answers: { '200': answer(components, 'What was reverted.', ['Preference-Applied'], content) },
    }),
  };
}
