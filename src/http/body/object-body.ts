/** A body that is one JSON object, for resources that are not collections. */
import { ApiError } from '../../base/errors.ts';
import type { Call } from '../call.ts';
import type { BodyReceiver } from './body-receiver.ts';
import { JsonScan } from './json-scan.ts';

/** `form` describes the object. An error does not repeat the body, which may contain a password. */
export async function objectIn(
  bodies: BodyReceiver,
  call: Call,
  form: string,
  hint?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const body = await bodies.receive(call);
  try {
    for (const scan = new JsonScan(body.bytes); !scan.isDone; ) scan.advance();
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body.bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as never;
  } catch (error) {
    // Too deep, for example. Invalid JSON is rejected below.
    if (error instanceof ApiError) throw error;
  } finally {
    body.release();
  }
  throw new ApiError('PGRST102', `the body must be ${form}`, { hint });
}
