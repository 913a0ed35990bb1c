type Optional<T> = { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> };
type Present<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] };

/** The object without its undefined properties. */
export function defined<T extends object>(object: T): Optional<T> & Present<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Optional<T> &
    Present<T>;
}
