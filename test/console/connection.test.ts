/** Writes of the console that wait for the connection. */
import { expect, test } from 'bun:test';
import {
  giveUp,
  isLost,
  sendAgain,
  unlessGivenUp,
  untilAnswered,
} from '../../src/console/browser/api/session/connection.ts';

const answer = (status: number) => () => Promise.resolve(new Response(null, { status }));
const noAnswer = () => Promise.reject(new TypeError('no answer'));
const untilWaiting = async () => {
  while (!isLost.get()) await Promise.resolve();
  await new Promise(setImmediate);
};

test('a waiting write is sent again after an answer, but not after that of an ended session', async () => {
  let attempts = 0;
  const write = untilAnswered(() => (attempts++ === 0 ? noAnswer() : answer(201)()), true);
  await untilWaiting();
  await untilAnswered(answer(401), false);
  await new Promise(setImmediate);
  expect(attempts).toBe(1);
  await untilAnswered(answer(200), false);
  expect((await write).status).toBe(201);
  expect(attempts).toBe(2);
});

test('a write that the person gives up fails as one without an answer, also while it is sent again', async () => {
  const waiting = untilAnswered(answer(502), true);
  await untilWaiting();
  const check = unlessGivenUp();
  giveUp();
  expect(await waiting.catch((error: unknown) => error)).toBeInstanceOf(TypeError);
  expect(check).toThrow(TypeError);

  const second = Promise.withResolvers<Response>();
  let attempts = 0;
  const sent = untilAnswered(() => (attempts++ === 0 ? noAnswer() : second.promise), true);
  await untilWaiting();
  sendAgain();
  await new Promise(setImmediate);
  expect(attempts).toBe(2);
  giveUp();
  second.reject(new TypeError('no answer'));
  expect(await sent.catch((error: unknown) => error)).toBeInstanceOf(TypeError);
  expect([attempts, isLost.get()]).toEqual([2, false]);
});
