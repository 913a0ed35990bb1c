/** Conflicts while the code of their dialog is still loading. */
import { expect, test } from 'bun:test';
import { type Conflict, conflicts } from '../../src/console/browser/api/questions.ts';

test('a conflict waits until the dialog is loaded, and is shown once', async () => {
  const conflict = { disputed: ['price'] } as unknown as Conflict;
  const decided = conflicts.ask(conflict);
  const shown: Conflict[] = [];
  const end = conflicts.listen((each, decide) => {
    shown.push(each);
    decide({ price: 3 });
  });
  expect(await decided).toEqual({ price: 3 });
  expect(shown).toEqual([conflict]);
  end();
});
