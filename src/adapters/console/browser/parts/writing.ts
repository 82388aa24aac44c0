import { useSignal } from '@preact/signals';

interface WritingOptions {
  /** Where the tab of the browser keeps the text: it outlives a reload. */
  readonly keptAt: string;
  /** Whether Enter sends it, pressed like this. */
  readonly isSending: (enter: KeyboardEvent) => boolean;
  readonly send: (text: string) => void;
}

/** A text that a person writes, and then sends. */
export const useWriting = ({ keptAt, isSending, send }: WritingOptions) => {
  const text = useSignal(sessionStorage.getItem(keptAt) ?? '');
  const write = (value: string) => {
    text.value = value;
    sessionStorage.setItem(keptAt, value);
  };
  const isEmpty = text.value.trim() === '';
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isEmpty) send(text.value);
  };
  const field = {
    value: text.value,
    onInput: (event: Event) => write((event.currentTarget as HTMLTextAreaElement).value),
    onKeyDown: (event: KeyboardEvent) => event.key === 'Enter' && isSending(event) && submit(event),
  };
  return { text, write, isEmpty, submit, field };
};
