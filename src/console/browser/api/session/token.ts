/** The token of the person, for this tab only, and whether the service has asked for one. */
import { tabStorage } from '../../base/storage.ts';

const TOKEN = 'catalogue.token';
const ASKED = 'catalogue.asked';
const REFUSED = 'catalogue.refused';

export const token = {
  get: (): string | undefined => tabStorage.get(TOKEN),
  set: (value: string): void => {
    tabStorage.set(REFUSED, undefined);
    tabStorage.set(TOKEN, value);
  },
  clear: (): void => tabStorage.set(TOKEN, undefined),
  /** Why the service rejected the previous token. */
  refusal: (): string | undefined => tabStorage.get(REFUSED),
  noteRefusal: (reason: string): void => tabStorage.set(REFUSED, reason),
  isAskedFor: (): boolean => tabStorage.get(ASKED) !== undefined,
  noteAsked: (): void => tabStorage.set(ASKED, 'yes'),
};
