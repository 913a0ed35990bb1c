/** A request of a dialog: whether it is in flight, and its error. */
import { useState } from 'react';

export function useSubmit(work: () => Promise<void>) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const onSubmit = () => {
    setBusy(true);
    setError(undefined);
    void work()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return { isBusy, error, onSubmit };
}
