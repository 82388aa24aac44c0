import { to } from '../address.ts';

/** A document to which something was not done, and why. */
export interface Refused {
  readonly id: string;
  readonly name: string;
  readonly why: string;
}

interface NotDoneProps {
  readonly text: string;
  readonly refused: readonly Refused[];
  /** null: it cannot be closed yet. */
  readonly close: (() => void) | null;
}

/** What a batch left as it was, each document with the reason. */
export const NotDone = ({ text, refused, close }: NotDoneProps) => (
  <div class="failure" role="alert">
    <p>{text}</p>
    {close && (
      <button type="button" class="plain" onClick={close}>
        Close
      </button>
    )}
    <ul>
      {refused.map(({ id, name, why }) => (
        <li key={id}>
          <a href={to(`/documents/${id}`)}>{name}</a>: {why}
        </li>
      ))}
    </ul>
  </div>
);
