import { signal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly act: () => void;
}

const asked = signal<Question | null>(null);

/** Asks before something is done that the console cannot undo. */
export const confirm = (question: Question): void => {
  asked.value = question;
};

export const Confirm = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const question = asked.value;
  useEffect(() => {
    if (question) dialog.current?.showModal();
  }, [question]);
  if (!question) return null;
  const close = () => {
    asked.value = null;
  };
  const act = () => {
    close();
    question.act();
  };
  return html`<dialog ref=${dialog} onClose=${close} aria-labelledby="confirm-title">
    <h2 id="confirm-title">${question.title}</h2><p>${question.text}</p>
    <div class="actions"><button type="button" onClick=${act}>${question.yes}</button><button type="button" class="plain" onClick=${close}>Cancel</button></div>
  </dialog>`;
};
