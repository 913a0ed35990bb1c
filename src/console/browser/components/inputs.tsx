/** Labelled inputs of dialogs and pages. */
import { type ComponentProps, type ReactNode, useId } from 'react';
import { Labelled } from './small.tsx';

/** Labels by value, in the order of the list. */
type Choices = readonly (readonly [value: string, label: string])[] | Readonly<Record<string, string>>;

export function Options({ of }: { readonly of: Choices }) {
  return (Array.isArray(of) ? of : Object.entries(of)).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Choices;
  readonly onChange: (value: Value) => void;
}

export function Select<Value extends string>({ label, value, options, onChange }: SelectProps<Value>) {
  const id = useId();
  return (
    <Labelled id={id} label={label}>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value as Value)}>
        <Options of={options} />
      </select>
    </Labelled>
  );
}

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: string;
  readonly problem?: string | undefined;
  readonly onChange: (text: string) => void;
}

export function TextField({ label, problem, onChange, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} problem={problem}>
      <input type="text" autoComplete="off" {...rest} id={id} onChange={({ target }) => onChange(target.value)} />
    </Labelled>
  );
}

interface CheckProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ReactNode;
}

/** A checkbox or a radio button with its label. */
export function Check({ type = 'checkbox', className = '', onChange, children, ...rest }: CheckProps) {
  return (
    <label className={`line ${className}`}>
      <input type={type} {...rest} onChange={({ target }) => onChange(target.checked)} />
      {children}
    </label>
  );
}
