/** Receives the arguments of a call by POST: a JSON object, a form, a CSV row, or a whole body. */
import { runToEnd } from '../base/cooperative.ts';
import { splitQuery } from '../base/net/query-string.ts';
import type { BodyType } from '../collection/draft.ts';
import { WrittenNumber } from '../collection/exact-json.ts';
import { groupTexts } from '../dialect/call-query.ts';
import type { BodyReceiver } from '../http/body/body-receiver.ts';
import { decodeText, readDocument } from '../http/body/parse-body.ts';
import type { Call } from '../http/call.ts';
import type { GivenArguments } from '../plan/call/arguments.ts';

/** Bodies without names, and the types of parameters that take them. */
const OPAQUE: Readonly<Record<string, BodyType>> = {
  'text/plain': 'text',
  'text/xml': 'xml',
  'application/octet-stream': 'bytea',
};
const FORM = 'application/x-www-form-urlencoded';

/** `columns` names the arguments to use. */
export async function receiveArguments(
  bodies: BodyReceiver,
  call: Call,
  columns: readonly string[] | undefined,
): Promise<GivenArguments> {
  const { contentType } = call;
  const [mediaType = ''] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const body = await bodies.receive(call);
  try {
    const { bytes } = body;
    const type = Object.hasOwn(OPAQUE, mediaType) ? OPAQUE[mediaType]! : undefined;
    if (type !== undefined)
      return { kind: 'opaque', type, text: type === 'bytea' ? `\\x${bytes.toHex()}` : decodeText(bytes) };
    if (bytes.length === 0) return { kind: 'json', values: new Map(), whole: '{}' };
    const document = runToEnd(readDocument(bytes, contentType));
    if (mediaType === FORM) return { kind: 'texts', texts: groupTexts(splitQuery(decodeText(bytes))) };
    const isUsed = (name: string) => columns?.includes(name) ?? true;
    const object =
      document.kind === 'json'
        ? objectIn(document.value)
        : Object.fromEntries(document.header.map((name, index) => [name, document.rows[0]?.[index] ?? null]));
    const values = new Map(Object.entries(object).filter(([name]) => isUsed(name)));
    return { kind: 'json', values, ...(document.kind === 'json' ? { whole: decodeText(bytes) } : {}) };
  } finally {
    body.release();
  }
}

/** The object, or the first of a list. Anything else has no names. */
function objectIn(value: unknown): object {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'object' && first !== null && !(first instanceof WrittenNumber) ? first : {};
}
