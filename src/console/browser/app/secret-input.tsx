/** A labelled input for a name, a password or a token. */
import { useId } from 'react';
import { Labelled } from '../components/small.tsx';

interface SecretInputProps {
  readonly label: string;
  readonly autoComplete: 'username' | 'current-password' | 'new-password' | 'off';
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SecretInput({ label, autoComplete, value, onChange }: SecretInputProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label}>
      <input
        id={id}
        type={autoComplete === 'username' ? 'text' : 'password'}
        autoComplete={autoComplete}
        required
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Labelled>
  );
}
