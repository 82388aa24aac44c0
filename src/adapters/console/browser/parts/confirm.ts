import { signal } from '@preact/signals';
import { html } from 'htm/preact';
import { setting } from './basics.ts';
import { Dialog } from './dialog.ts';

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
  const question = asked.value;
  if (!question) return null;
  const close = setting(asked, null);
  const act = () => {
    close();
    question.act();
  };
  return html`<${Dialog} title=${question.title} close=${close}><p>${question.text}</p>
    <div class="actions"><button type="button" onClick=${act}>${question.yes}</button><button type="button" class="plain" onClick=${close}>Cancel</button></div>
  <//>`;
};
