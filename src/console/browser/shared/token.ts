/** The credentials a person gave, for this tab only, and whether the service has ever asked for any; most never do. */
const TOKEN = 'catalogue.token';
const ASKED = 'catalogue.asked';

export const token = {
  get: (): string | null => sessionStorage.getItem(TOKEN),
  set: (value: string): void => sessionStorage.setItem(TOKEN, value),
  clear: (): void => sessionStorage.removeItem(TOKEN),
  isAskedFor: (): boolean => sessionStorage.getItem(ASKED) !== null,
  noteAsked: (): void => sessionStorage.setItem(ASKED, 'yes'),
};
