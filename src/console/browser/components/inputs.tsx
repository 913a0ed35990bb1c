/** Labelled inputs of dialogs and pages. */
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { t } from '../i18n/text.ts';
import { Labelled, Problem } from './small.tsx';

/** The values of a form. `input` and `check` connect a value with its input. */
export function useForm<Values extends object>(start: Values | (() => Values)) {
  const [values, setValues] = useState(start);
  const set = <Name extends keyof Values>(name: Name, value: Values[Name]) =>
    setValues((before) => ({ ...before, [name]: value }));
  return {
    values,
    set,
    input: <Name extends keyof Values>(name: Name) => ({
      value: values[name],
      onChange: (value: Values[Name]) => set(name, value),
    }),
    check: <Name extends keyof Values>(name: Name) => ({
      checked: values[name],
      onChange: (value: Values[Name]) => set(name, value),
    }),
  };
}

/** Values, or labels by value. */
type Choices = readonly (string | readonly [value: string, label: string])[] | Readonly<Record<string, string>>;

export function Options({ of }: { readonly of: Choices }) {
  return (Array.isArray(of) ? of : Object.entries(of)).map((each: string | readonly [string, string]) => {
    const [value, label] = typeof each === 'string' ? [each, each] : each;
    return (
      <option key={value} value={value}>
        {label}
      </option>
    );
  });
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Choices;
  /** The label of an empty value, if it is allowed. */
  readonly empty?: string;
  readonly problem?: string | undefined;
  readonly onChange: (value: Value) => void;
}

export function Select<Value extends string>({ label, value, options, empty, problem, onChange }: SelectProps<Value>) {
  const id = useId();
  return (
    <Labelled id={id} label={label} problem={problem}>
      <select
        id={id}
        value={value}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => onChange(target.value as Value)}
      >
        {empty !== undefined && <option value="">{empty}</option>}
        <Options of={options} />
      </select>
    </Labelled>
  );
}

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: string;
  readonly help?: string | undefined;
  readonly problem?: string | undefined;
  readonly onChange: (text: string) => void;
  /** Values to choose from. Others are allowed. */
  readonly suggestions?: readonly string[];
}

export function TextField({ label, help, problem, onChange, suggestions = [], ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} isRequired={rest.required === true} help={help} problem={problem}>
      <input
        type="text"
        autoComplete="off"
        {...rest}
        id={id}
        // A list makes it a combobox for screen readers.
        list={suggestions.length > 0 ? `${id}-list` : undefined}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => onChange(target.value)}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          <Options of={suggestions} />
        </datalist>
      )}
    </Labelled>
  );
}

interface CheckListProps {
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  /** Absent means all, also later ones. */
  readonly value: readonly string[] | undefined;
  /** Values that are always chosen. */
  readonly fixed?: readonly string[];
  readonly problem?: string | undefined;
  readonly onChange: (value: readonly string[] | undefined) => void;
}

/** Some values of a few, as checkboxes. All of them are not the same as all, also later ones. */
export function CheckList({ label, options, value: chosen, fixed = [], problem, onChange }: CheckListProps) {
  const isChosen = (value: string) => fixed.includes(value) || (chosen?.includes(value) ?? true);
  const names = options.map(([each]) => each);
  const toggle = (value: string, isOn: boolean) => {
    const unknown = (chosen ?? []).filter((each) => !names.includes(each));
    onChange([...names.filter((each) => (each === value ? isOn : isChosen(each))), ...unknown]);
  };
  return (
    <fieldset className="check-list">
      <legend>{label}</legend>
      <div className="line wrap">
        <Check checked={chosen === undefined} onChange={(isOn) => onChange(isOn ? undefined : names)}>
          {t.app.allAndLater}
        </Check>
        {options.map(([value, name]) => (
          <Check
            key={value}
            checked={isChosen(value)}
            disabled={fixed.includes(value)}
            onChange={(isOn) => toggle(value, isOn)}
          >
            {name}
          </Check>
        ))}
      </div>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </fieldset>
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
