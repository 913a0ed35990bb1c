/** The tools of an agent. Each is a request of the public API with the caller's credentials. */
import { createHash } from 'node:crypto';
import { ApiError } from '../../base/errors.ts';
import {
  MCP_CALLER_PREVIEWS,
  MCP_MAX_ROWS,
  MCP_PREVIEW_MS,
  MCP_PREVIEWS,
  MCP_RESULT_BYTES,
  MCP_ROWS,
} from '../../base/limits/http.ts';
import { mayWriteAny } from '../../collection/access/views.ts';
import { CHANGES_NAME } from '../../collection/change-log.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { RIGHTS } from '../../collection/draft.ts';
import { jsonText } from '../../collection/exact-json.ts';
import { Call, UNKNOWN } from '../../http/call.ts';
import { BATCH_PATH, OWN_PATH, UNDO_PATH } from '../../http/target.ts';

interface Preview {
  readonly caller: string;
  readonly session: string;
  /** A batch. As bytes, which are exactly its memory. */
  readonly body: Uint8Array<ArrayBuffer>;
}

export class Previews {
  /** By token, the oldest first. */
  private readonly previews = new Map<string, Preview & { readonly until: number }>();

  /** Returns the token. The oldest previews make room for it: first those of its caller, then any. */
  add(preview: Preview): string {
    const token = crypto.randomUUID().slice(0, 8);
    this.previews.set(token, { ...preview, until: Date.now() + MCP_PREVIEW_MS });
    this.dropOldest(MCP_CALLER_PREVIEWS, preview.caller);
    this.dropOldest(MCP_PREVIEWS);
    return token;
  }

  /** Returns and removes the body: a token is used once, also if the response is lost. */
  take(token: string, caller: string, session: string): Preview['body'] | undefined {
    const found = this.previews.get(token);
    if (found?.caller !== caller || found.session !== session || Date.now() > found.until) return undefined;
    this.previews.delete(token);
    return found.body;
  }

  private dropOldest(limit: typeof MCP_PREVIEWS, caller?: string): void {
    const now = Date.now();
    let [count, bytes] = [0, 0];
    for (const [token, preview] of [...this.previews].reverse()) {
      if (caller !== undefined && preview.caller !== caller) continue;
      count++;
      bytes += preview.body.length;
      if (count > limit.count || bytes > limit.bytes || now > preview.until) this.previews.delete(token);
    }
  }
}

export interface AgentCall {
  readonly call: Call;
  readonly session: string;
  /** As the caller sees it. */
  readonly catalogue: Catalogue;
  readonly answer: (call: Call) => Response | Promise<Response>;
}

type Arguments = Readonly<Record<string, unknown>>;

interface Tool {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations: object;
  readonly run: (given: Arguments, call: AgentCall) => Promise<string>;
}

const TEXT = { type: 'string' };
const schema = (properties: object, ...required: readonly string[]) => ({ type: 'object', properties, required });

const READ_TOOLS: Readonly<Record<string, Tool>> = {
  describe: {
    title: 'Describe the collections',
    description: 'Lists the collections, their fields, references, and what this caller may do with each.',
    inputSchema: schema({}),
    annotations: { readOnlyHint: true },
    run: async (_, { catalogue }) => data([...catalogue.collections.values()].map(describeCollection)),
  },
  read: {
    title: 'Read rows',
    description: `Reads rows of a collection, or of ${CHANGES_NAME}, the log of changes. The query is in the language of PostgREST, such as select=id,name&price=lt.20&order=name&limit=20. It returns at most ${MCP_MAX_ROWS} rows, by default ${MCP_ROWS}; offset continues.`,
    inputSchema: schema({ collection: TEXT, query: TEXT }, 'collection'),
    annotations: { readOnlyHint: true },
    run: readRows,
  },
};

const WRITE_TOOLS: Readonly<Record<string, Tool>> = {
  write: {
    title: 'Preview writes',
    description:
      'Checks a list of writes as one transaction and changes nothing. Returns the rows as they would be, and a token for commit. Each request has a method (POST, PATCH, PUT, DELETE), a path such as /products?id=eq.1, and a body. PATCH and DELETE need a filter.',
    inputSchema: schema(
      {
        requests: {
          type: 'array',
          items: schema({ method: TEXT, path: TEXT, body: {} }, 'method', 'path'),
        },
      },
      'requests',
    ),
    annotations: { readOnlyHint: true },
    run: preview,
  },
  commit: {
    title: 'Carry out previewed writes',
    description: 'Carries out the writes of a token, once, in one transaction.',
    inputSchema: schema({ token: TEXT }, 'token'),
    annotations: { readOnlyHint: false, destructiveHint: true },
    run: commit,
  },
  undo: {
    title: 'Undo the session',
    description:
      'Takes back all writes of this session, or of an earlier one by its id. Rows that others changed since then are left as they are.',
    inputSchema: schema({ session: TEXT }),
    annotations: { readOnlyHint: false, idempotentHint: true },
    run: undoSession,
  },
};

/** A caller who may not write has no tools for it. */
export function toolsOf(catalogue: Catalogue): ReadonlyMap<string, Tool> {
  return new Map(Object.entries(mayWriteAny(catalogue) ? { ...READ_TOOLS, ...WRITE_TOOLS } : READ_TOOLS));
}

/** A collection as an agent sees it, for a role only with the fields and rights of the role. */
function describeCollection(collection: Collection): object {
  const { name, key, fields, references, draft } = collection;
  const { title, description } = draft;
  const written = new Set([...(collection.view?.creates?.fields ?? []), ...(collection.view?.updates?.fields ?? [])]);
  return {
    name,
    title,
    description,
    // Without roles, everyone may do everything.
    rights: collection.view?.rights ?? RIGHTS,
    key: key.map((field) => field.name),
    fields: fields.map((field) => ({
      name: field.name,
      type: field.type.name,
      required: field.required || undefined,
      description: field.description,
      references: references.find((each) => each.field === field)?.to,
      readOnly: (collection.view !== undefined && ![...written].some((each) => each.name === field.name)) || undefined,
    })),
  };
}

/** Marks text of the catalogue as data. The escape keeps a value from ending the mark. */
function data(value: unknown): string {
  const json = typeof value === 'string' ? value : JSON.stringify(value);
  return `<data>${json.replaceAll('<', '\\u003c')}</data>`;
}

function textOf(given: Arguments, name: string): string {
  const value = given[name] ?? '';
  if (typeof value === 'string') return value;
  throw new ApiError('PGRST102', `${name} must be a text`);
}

async function readRows(given: Arguments, call: AgentCall): Promise<string> {
  const { collections, builtIn } = call.catalogue;
  const name = textOf(given, 'collection');
  if (!collections.has(name) && !(name === CHANGES_NAME && builtIn.has(name))) {
    const names = [...collections.keys()].join(', ');
    throw new ApiError('PGRST205', `the collection '${name}' does not exist`, {
      hint: `The collections are ${names}.`,
    });
  }
  const query = textOf(given, 'query').replace(/^\?/, '');
  const limit = Math.min(MCP_MAX_ROWS, Number(/(?:^|&)limit=(\d+)/.exec(query)?.[1] ?? MCP_ROWS));
  const parts = [...query.split('&').filter((each) => each !== '' && !each.startsWith('limit=')), `limit=${limit}`];
  return data(await ask(call, 'GET', `/${encodeURIComponent(name)}?${parts.join('&')}`));
}

const previews = new Previews();

async function preview(given: Arguments, call: AgentCall): Promise<string> {
  const body = new TextEncoder().encode(jsonText(given.requests ?? null));
  const rows = await ask(call, 'POST', OWN_PATH + BATCH_PATH, body, 'tx=rollback, return=representation');
  const token = previews.add({ caller: callerOf(call), session: call.session, body });
  return `Nothing is changed yet. The token is ${token}; call commit with it to store this:\n${data(rows)}`;
}

async function commit(given: Arguments, call: AgentCall): Promise<string> {
  const body = previews.take(textOf(given, 'token'), callerOf(call), call.session);
  if (body === undefined) {
    throw new ApiError('PGRST102', 'the token is unknown or too old', { hint: 'Call write again.' });
  }
  const results = await ask(call, 'POST', OWN_PATH + BATCH_PATH, body, 'return=headers-only', NOT_SHOWN);
  return `The writes are stored:\n${data(results)}`;
}

/** The writes of a session have ids that begin with it. Its undos do not, so that they are not undone as well. */
function undoSession(given: Arguments, call: AgentCall): Promise<string> {
  const session = textOf(given, 'session') || call.session;
  if (!/^[\da-f-]{36}$/.test(session)) throw new ApiError('PGRST102', `'${session}' is not the id of a session`);
  const path = `${OWN_PATH}${UNDO_PATH}?request_id=like.mcp:${session}:*`;
  const undoing = { ...call, session: `undo:${call.session}` };
  return ask(undoing, 'POST', path, undefined, 'conflicts=skip', NOT_SHOWN).then(data);
}

function callerOf({ call }: AgentCall): string {
  return createHash('sha256').update(call.credentials).digest('hex');
}

/** In place of a long answer to a write that is done. */
const NOT_SHOWN = '"Done. The answer is too long to be shown."';

/** Sends a request of the caller. Resolves to the text of the answer, or throws its error. */
async function ask(
  { call, session, answer }: AgentCall,
  method: string,
  path: string,
  body?: Uint8Array<ArrayBuffer>,
  prefer?: string,
  ifLong?: string,
): Promise<string> {
  const headers = call.callerHeaders();
  headers.set('x-request-id', `mcp:${session}:${crypto.randomUUID().slice(0, 8)}`);
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (prefer !== undefined) headers.set('prefer', prefer);
  const content = body === undefined ? undefined : new Response(body);
  // A URL has neither fragments nor line breaks here: they are characters of a value.
  const { href } = new URL(path.replace(/[#\t\r\n]/g, encodeURIComponent), 'http://localhost');
  const response = await answer(new Call(method, UNKNOWN, headers, href, call.peer, content));
  const text = (await boundedText(response)) ?? (response.ok ? ifLong : undefined);
  if (text === undefined) {
    const hint = 'Select fewer fields, or fewer rows with limit.';
    throw new ApiError('PGRST102', `the result has more than ${MCP_RESULT_BYTES} bytes`, { hint });
  }
  if (response.ok) return text;
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const { message, details, hint } = (isJson ? JSON.parse(text) : {}) as {
    [_ in 'message' | 'details' | 'hint']?: string;
  };
  throw new ApiError('PGRST102', message ?? `status ${response.status}`, {
    ...(details && { details }),
    ...(hint && { hint }),
  });
}

/** Undefined if it is too long. */
async function boundedText(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (size > MCP_RESULT_BYTES) return undefined;
  }
  return Buffer.concat(parts).toString();
}
