/** Every recorded response matches the OpenAPI document, by path, method, status and media type. */
import { describe, expect, test } from 'bun:test';
import { complaintsAbout, describedPath, document, shopDocument } from '../../support/openapi.ts';
import { type RecordedCase, recordedAreas, recordedCases } from '../../support/recorded.ts';

/** PostgreSQL stores arrays of any dimension in a `text[]`. The document describes one, as generators expect. */
const NESTED_ARRAYS = ['shop-insert-1300'];

describe.each([
  { folder: 'recorded', described: document },
  { folder: 'recorded-shop', described: shopDocument },
])('recorded responses match the document: $folder', ({ folder, described }) => {
  const pathOf = ({ path, headers }: RecordedCase) => {
    const [route = '', query = ''] = path.split('?');
    return describedPath(route, query, headers.accept ?? headers.Accept);
  };
  /** The document omits paths and methods that the service rejects. */
  const isDescribed = (recorded: RecordedCase) =>
    Object.hasOwn(described.paths[pathOf(recorded)] ?? {}, recorded.method.toLowerCase());

  test.each(recordedAreas(folder))('%s', (area) => {
    const wrong = recordedCases(area, folder)
      .filter((recorded) => isDescribed(recorded) && !NESTED_ARRAYS.includes(recorded.id))
      .map((recorded) => {
        const { id, path, method } = recorded;
        const { status, headers, body } = recorded.expect;
        const given = { status, contentType: headers['content-type'] ?? null, body };
        return { id, path, complaints: complaintsAbout(pathOf(recorded), method, given, described) };
      })
      .filter(({ complaints }) => complaints.length > 0);
    expect(wrong).toEqual([]);
  });

  test('the document describes every successful response', () => {
    const leftOut = recordedAreas(folder)
      .flatMap((area) => recordedCases(area, folder))
      .filter((recorded) => !isDescribed(recorded));
    expect(leftOut.filter((recorded) => recorded.expect.status < 400)).toEqual([]);
  });
});
