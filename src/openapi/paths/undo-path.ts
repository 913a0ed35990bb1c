/** The operation that reverts changes. */
import { MAX_UNDO_CHANGES, MAX_UNDO_TRANSACTION } from '../../base/limits/http.ts';
import type { Collection } from '../../collection/declaration.ts';
import type { JsonObject } from '../json.ts';
import { type Draft, operation, options, WRITE_ERRORS } from '../operation.ts';
import { withHeaders } from '../responses.ts';

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

/** The fields of a change that a filter usually tests, with examples. */
const FILTERS = {
  seq: 'eq.0',
  at: 'gt.2999-12-31',
  actor: 'eq.bob',
  role: 'eq.clerk',
  request_id: 'eq.8f14e45f',
  collection: 'eq.things',
  key: 'eq.1',
  kind: 'eq.none',
};

/** For `components.parameters`. */
export function undoFilters(): Record<string, JsonObject> {
  const filters = Object.entries(FILTERS).map(([name, example]): [string, JsonObject] => {
    const description = `Only changes whose ${name} passes the test \`operator.value\`, as in a list.`;
    return [`undo.${name}`, { name, in: 'query', description, schema: { type: 'string' }, example }];
  });
  return Object.fromEntries(filters);
}

export function undoPath({ byName }: Collection): JsonObject {
  const names = Object.keys(FILTERS).filter((name) => byName.has(name));
  const post: Draft = {
    id: 'undo',
    tag: 'History',
    summary: 'Revert changes',
    description: `Reverts the changes that the filters select, at most ${MAX_UNDO_CHANGES}: in one transaction, or in steps if there are more than ${MAX_UNDO_TRANSACTION}. At least one filter is required. With Accept: application/x-ndjson, each line has the progress after a step.`,
    parameters: ['Prefer', ...names.map((name) => `undo.${name}`)],
    answers: {
      '200': withHeaders('What was reverted.', ['Preference-Applied'], {
        'application/json': { schema: ANSWER },
        'application/x-ndjson': { schema: LINE },
      }),
    },
    errors: [...WRITE_ERRORS, 405, 501],
  };
  return { post: operation(post), options: options('options_of_undo') };
}
