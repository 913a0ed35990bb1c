/** The browser's storage. It may be full or disabled, and hold what another version or program wrote. */

function storageIn(area: 'localStorage' | 'sessionStorage') {
  /** Undefined if the storage cannot be used. */
  const attempt = <Result>(use: (storage: Storage) => Result): Result | undefined => {
    try {
      return use(globalThis[area]);
    } catch {
      return undefined;
    }
  };
  const storage = {
    get: (name: string): string | undefined => attempt((each) => each.getItem(name) ?? undefined),
    /** Stores a text. Undefined removes it. */
    set: (name: string, text: string | undefined): void =>
      attempt((each) => (text === undefined ? each.removeItem(name) : each.setItem(name, text))),
    /** A stored value; undefined if it is missing, or not JSON. */
    getJson: (name: string): unknown =>
      attempt((each) => JSON.parse(each.getItem(name) ?? 'null') as unknown) ?? undefined,
    setJson: (name: string, value: unknown): void =>
      storage.set(name, value === undefined ? undefined : JSON.stringify(value)),
    names: (): readonly string[] => attempt(Object.keys) ?? [],
  };
  return storage;
}

/** Values that the browser keeps for all tabs. */
export const browserStorage = storageIn('localStorage');
/** Values that one tab keeps until it is closed. */
export const tabStorage = storageIn('sessionStorage');
