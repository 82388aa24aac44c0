import { PorticoError } from '../../../../client/portico.ts';
import { signIn } from '../session.ts';
import { confirm } from './dialogs.tsx';

/** In the console, all that an approval by a person can lack is that they have signed in a short while ago. */
export const isTooLate = (error: unknown) => error instanceof PorticoError && error.code === 'person_required';

export const signInAgain = (text: string) =>
  confirm({ title: 'Sign in again', text, yes: 'Sign in', does: () => signIn({ again: true }) });
