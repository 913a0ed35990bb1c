/** What is answered is what the document says: every recorded answer, by its path, method, status and media type. */
import { describe, expect, test } from 'bun:test';
import { complaintsAbout, document, shopDocument } from '../support/openapi.ts';
import { type RecordedCase, recordedAreas, recordedCases } from '../support/recorded.ts';

describe.each([
  { folder: 'recorded', described: document },
  { folder: 'recorded-shop', described: shopDocument },
])('recorded answers agree with the document: $folder', ({ folder, described }) => {
  const pathOf = ({ path }: RecordedCase) => path.split('?')[0]!;
  /** Of paths and methods that the service does not have, the document says nothing; all of them are refused. */
  const isDescribed = (recorded: RecordedCase) =>
    Object.hasOwn(described.paths[pathOf(recorded)] ?? {}, recorded.method.toLowerCase());

  test.each(recordedAreas(folder))('%s', (area) => {
    const wrong = recordedCases(area, folder)
      .filter(isDescribed)
      .map((recorded) => {
        const { id, path, method } = recorded;
        const { status, headers, body } = recorded.expect;
        const given = { status, contentType: headers['content-type'] ?? null, body };
        return { id, path, complaints: complaintsAbout(pathOf(recorded), method, given, described) };
      })
      .filter(({ complaints }) => complaints.length > 0);
    expect(wrong).toEqual([]);
  });

  test('no good answer is left out', () => {
    const leftOut = recordedAreas(folder)
      .flatMap((area) => recordedCases(area, folder))
      .filter((recorded) => !isDescribed(recorded));
    expect(leftOut.filter((recorded) => recorded.expect.status < 400)).toEqual([]);
  });
});
