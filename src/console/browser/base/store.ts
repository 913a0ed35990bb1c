/** A value outside of components that they follow: messages, questions, unsaved cells. */
import { useSyncExternalStore } from 'react';

export class Store<Value> {
  private value: Value;
  private readonly listeners = new Set<() => void>();

  constructor(value: Value) {
    this.value = value;
  }

  readonly get = (): Value => this.value;

  readonly set = (value: Value): void => {
    this.value = value;
    for (const listener of this.listeners) listener();
  };

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };
}

/** The value, or a part of it: the component renders again when the part changes. */
export const useStore = <Value, Part = Value>(
  { subscribe, get }: Store<Value>,
  select = (value: Value) => value as unknown as Part,
): Part => useSyncExternalStore(subscribe, () => select(get()));
