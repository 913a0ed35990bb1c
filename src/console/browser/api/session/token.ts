/** The token of the person, for this tab only, and whether the service has asked for one. */
import { tabStorage } from '../../base/storage.ts';

const TOKEN = 'catalogue.token';
const ASKED = 'catalogue.asked';

export const token = {
  get: (): string | undefined => tabStorage.get(TOKEN),
  set: (value: string): void => tabStorage.set(TOKEN, value),
  clear: (): void => tabStorage.set(TOKEN, undefined),
  isAskedFor: (): boolean => tabStorage.get(ASKED) !== undefined,
  noteAsked: (): void => tabStorage.set(ASKED, 'yes'),
};
