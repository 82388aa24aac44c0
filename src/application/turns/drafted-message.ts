import { storable } from '../../domain/text.ts';
import type { Ids } from '../ports/runtime.ts';

/** Text by which a message has grown that the assistant is writing. */
export interface Delta {
  /** That of the message. */
  readonly id: string;
  readonly text: string;
}

/**
 * A message that the assistant is writing: passes on how it grows. Each attempt of a model has an id of its own, so that no attempt goes on
 * with the text of one that failed. The deltas of an id are the beginning of its message, in the form in which that is stored.
 */
export const draftedMessage = (ids: Ids, onDelta: (delta: Delta) => void) => {
  let id = ids.next();
  let rest = '';
  return {
    /** The one that the message is stored with. */
    get id() {
      return id;
    },
    begin(): void {
      id = ids.next();
      rest = '';
    },
    write(more: string): void {
      const text = rest + more;
      // Half of a surrogate pair waits for the other half, which comes next.
      rest = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
      const whole = storable(text.slice(0, text.length - rest.length));
      if (whole !== '') onDelta({ id, text: whole });
    },
  };
};

export type DraftedMessage = ReturnType<typeof draftedMessage>;
