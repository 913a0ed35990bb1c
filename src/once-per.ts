/** What is made of an object that many requests share, such as a list of columns, is made once and kept as long as it. */
export function oncePer<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, { readonly value: Made }>();
  return (key) => {
    let known = made.get(key);
    if (known === undefined) {
      known = { value: make(key) };
      made.set(key, known);
    }
    return known.value;
  };
}

/** What is costly to make, made when it is first asked for: a start does without it. */
export function whenAsked<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
