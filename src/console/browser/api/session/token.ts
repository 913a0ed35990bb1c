/** The token of the person, for this tab only, and whether the service has asked for one. */
const TOKEN = 'catalogue.token';
const ASKED = 'catalogue.asked';
const REFUSED = 'catalogue.refused';

export const token = {
  get: (): string | null => sessionStorage.getItem(TOKEN),
  set: (value: string): void => {
    sessionStorage.removeItem(REFUSED);
    sessionStorage.setItem(TOKEN, value);
  },
  clear: (): void => sessionStorage.removeItem(TOKEN),
  /** Why the service rejected the previous token. */
  refusal: (): string | null => sessionStorage.getItem(REFUSED),
  noteRefusal: (reason: string): void => sessionStorage.setItem(REFUSED, reason),
  isAskedFor: (): boolean => sessionStorage.getItem(ASKED) !== null,
  noteAsked: (): void => sessionStorage.setItem(ASKED, 'yes'),
};
