import { useId, useState } from "preact/hooks";

/** JSON as it is typed: `value` while the text is none that could be sent is `undefined`. */
export interface JsonFieldProps {
  readonly label: string;
  readonly initial: unknown;
  /** What the text must be, where not any JSON will do; undefined: it fits. */
  readonly refuse?: (value: unknown) => string | undefined;
  readonly onChange: (value: { readonly json: unknown } | undefined) => void;
}

/** A text field for JSON, judged as one types. */
export function JsonField({ label, initial, refuse, onChange }: JsonFieldProps) {
  const [text, setText] = useState(() => JSON.stringify(initial, null, 2) ?? "null");
  const [fault, setFault] = useState<string | undefined>(undefined);
  const id = useId();
  const read = (typed: string) => {
    setText(typed);
    try {
      const json: unknown = JSON.parse(typed);
      const found = refuse?.(json);
      setFault(found);
      onChange(found === undefined ? { json } : undefined);
    } catch {
      setFault("This is not JSON. A text has quotes of its own.");
      onChange(undefined);
    }
  };
  return (
    <div class="json-field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        spellcheck={false}
        rows={Math.min(12, Math.max(2, text.split("\n").length))}
        value={text}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-fault`}
        onInput={(event) => read(event.currentTarget.value)}
      />
      <p id={`${id}-fault`} class="error" role="status">
        {fault ?? ""}
      </p>
    </div>
  );
}
