/** Saves a form once at a time: a second click while the first save runs does nothing. */
import { useRef, useState } from 'react';

type FormValues = Readonly<Record<string, unknown>>;

interface SaveOnce {
  readonly save: (values: FormValues) => Promise<void>;
  readonly isSaving: boolean;
}

/** After 'saved' the form stays locked, since its page is about to close. */
export function useSaveOnce(store: (values: FormValues) => Promise<'saved' | 'editing'>): SaveOnce {
  const isLocked = useRef(false);
  const [isSaving, setSaving] = useState(false);
  const save = async (values: FormValues) => {
    if (isLocked.current) return;
    isLocked.current = true;
    setSaving(true);
    isLocked.current = (await store(values)) === 'saved';
    setSaving(isLocked.current);
  };
  return { save, isSaving };
}
