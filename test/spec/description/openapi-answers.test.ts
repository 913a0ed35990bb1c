/** Every recorded response matches the OpenAPI document, by path, method, status and media type. */
import { describe, expect, test } from 'bun:test';
import { complaintsAbout, document, isWhole, shopDocument } from '../../support/openapi.ts';
import { type RecordedCase, recordedAreas, recordedCases } from '../../support/recorded.ts';

/** PostgreSQL stores arrays of any dimension in a `text[]`. The document describes one, as generators expect. */
const NESTED_ARRAYS = ['shop-insert-1300'];

describe.each([
  { folder: 'recorded', described: document },
  { folder: 'recorded-shop', described: shopDocument },
])('recorded responses match the document: $folder', ({ folder, described }) => {
  const pathOf = ({ path }: RecordedCase) => path.split('?')[0]!;
  /** The document omits paths and methods that the service rejects, and HEAD and OPTIONS. */
  const isDescribed = (recorded: RecordedCase) =>
    Object.hasOwn(described.paths[pathOf(recorded)] ?? {}, recorded.method.toLowerCase());

  test.each(recordedAreas(folder))('%s', (area) => {
    const wrong = recordedCases(area, folder)
      .filter((recorded) => isDescribed(recorded) && !NESTED_ARRAYS.includes(recorded.id))
      .map((recorded) => {
        const { id, path, method } = recorded;
        const { status, headers, body } = recorded.expect;
        const given = { status, contentType: headers['content-type'] ?? null, body };
        const { accept = recorded.headers.Accept } = recorded.headers;
        const whole = isWhole(path.split('?')[1] ?? '', accept);
        return { id, path, complaints: complaintsAbout(pathOf(recorded), method, given, described, whole) };
      })
      .filter(({ complaints }) => complaints.length > 0);
    expect(wrong).toEqual([]);
  });

  test('the document describes every successful response', () => {
    const leftOut = recordedAreas(folder)
      .flatMap((area) => recordedCases(area, folder))
      .filter((recorded) => !isDescribed(recorded) && !['HEAD', 'OPTIONS'].includes(recorded.method));
    expect(leftOut.filter((recorded) => recorded.expect.status < 400)).toEqual([]);
  });
});
