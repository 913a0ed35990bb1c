/** What is answered is what the document says: every recorded answer, by its path, method, status and media type. */
import { expect, test } from 'bun:test';
import { complaintsAbout, document } from '../support/openapi.ts';
import { type RecordedCase, recordedAreas, recordedCases } from '../support/recorded.ts';

const PATH = '/products';

/** Of paths and methods that the service does not have, the document says nothing; all of them are refused. */
const isDescribed = ({ path, method }: RecordedCase) =>
  path.split('?')[0] === PATH && Object.hasOwn(document.paths[PATH]!, method.toLowerCase());

test.each(recordedAreas())('recorded answers agree with the document: %s', (area) => {
  const wrong = recordedCases(area)
    .filter(isDescribed)
    .map(({ id, path, method, expect: { status, headers, body } }) => {
      const contentType = headers['content-type'] ?? null;
      return { id, path, complaints: complaintsAbout(PATH, method, { status, contentType, body }) };
    })
    .filter(({ complaints }) => complaints.length > 0);
  expect(wrong).toEqual([]);
});

test('no good answer is left out', () => {
  const leftOut = recordedAreas()
    .flatMap((area) => recordedCases(area))
    .filter((recorded) => !isDescribed(recorded));
  expect(leftOut.filter((recorded) => recorded.expect.status < 400)).toEqual([]);
});
