import { DomainError } from '../../domain/errors.ts';
import type { Forms } from './forms.ts';
import { type SignInView, signInPage } from './pages/account.ts';
import { type RequestContext, sendPage } from './request-context.ts';
import type { Sessions } from './sessions.ts';

type Purpose = Pick<SignInView, 'client' | 'formTargets'>;

/** The sign-in form, which authorizations and the account pages share. */
export const signInForm = ({
  forms,
  sessions,
}: {
  readonly forms: Forms;
  readonly sessions: Pick<Sessions, 'signIn'>;
}) => {
  const show = async (context: RequestContext, purpose: Purpose, email: string, error: DomainError | null = null) => {
    const status = error === null ? 200 : error.kind === 'rate_limited' ? 429 : 400;
    if (error?.retryAfterSeconds) context.res.setHeader('Retry-After', error.retryAfterSeconds);
    sendPage(
      context,
      status,
      signInPage({ ...purpose, token: await forms.token(context), email, error: error?.message ?? null }),
    );
  };

  return {
    show,
    /** Returns whether the user is signed in now; if not, it has shown the form again with the reason. */
    async submit(context: RequestContext, purpose: Purpose, fields: URLSearchParams): Promise<boolean> {
      const email = fields.get('email') ?? '';
      try {
        await sessions.signIn(context, { email, password: fields.get('password') ?? '' });
        return true;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        await show(context, purpose, email, error);
        return false;
      }
    },
  };
};
