/** Labelled inputs of the settings. */
import { type ComponentProps, useId } from 'react';
import { Labelled } from '../components/small.tsx';

interface TextInputProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string | undefined;
  readonly problem?: string | undefined;
  /** Values to choose from. Others are allowed. */
  readonly suggestions?: readonly string[];
}

export function TextInput({ label, onChange, help, problem, suggestions = [], ...rest }: TextInputProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} isRequired={rest.required === true} help={help} problem={problem}>
      <input
        {...rest}
        id={id}
        list={`${id}-list`}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </Labelled>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  /** The label of an empty value, if it is allowed. */
  readonly empty?: string;
  readonly onChange: (value: string) => void;
}

export function Choice({ label, value, options, empty, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label}>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {empty !== undefined && <option value="">{empty}</option>}
        {options.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </Labelled>
  );
}
