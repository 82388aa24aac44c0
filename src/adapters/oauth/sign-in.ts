import { DomainError } from '../../domain/errors.ts';
import { expired, type Forms } from './forms.ts';
import { BEGIN } from './organisation.ts';
import { type SignInView, signInPage } from './pages/account.ts';
import { type RequestContext, sendPage } from './request-context.ts';
import type { Sessions } from './sessions.ts';
import type { AuthorizationServerSettings } from './settings.ts';

type Purpose = Pick<SignInView, 'client' | 'formTargets'>;

const INTERACTION = /^\/oauth\/(interaction\/[\w-]{1,64})$/;

const statusOf = (error: DomainError | null) => {
  if (error === null) return 200;
  return error.kind === 'rate_limited' ? 429 : 400;
};

/** The sign-in form, which authorizations and the account pages share. */
export const signInForm = ({
  forms,
  sessions,
  issuer,
  organisation,
  passwords,
}: Pick<AuthorizationServerSettings, 'issuer' | 'organisation' | 'passwords'> & {
  readonly forms: Forms;
  readonly sessions: Pick<Sessions, 'signIn' | 'user'>;
}) => {
  /** Comes back to the page that it was pressed on. */
  const buttonOn = ({ path }: RequestContext): SignInView['organisation'] => {
    if (!organisation) return null;
    const [, to] = INTERACTION.exec(path) ?? [];
    return { name: organisation.name, url: `${issuer}${BEGIN}${to === undefined ? '' : `?to=${to}`}` };
  };

  const show = async (context: RequestContext, purpose: Purpose, email: string, error: DomainError | null = null) => {
    if (error?.retryAfterSeconds) context.res.setHeader('Retry-After', error.retryAfterSeconds);
    sendPage(
      context,
      statusOf(error),
      signInPage({
        ...purpose,
        token: await forms.token(context),
        email,
        error: error?.message ?? null,
        organisation: buttonOn(context),
        passwords,
      }),
    );
  };

  /** Whether this person was signed in meanwhile: by the first of two presses, or in another window. */
  const isIn = async (context: RequestContext, email: string) =>
    (await sessions.user(context))?.email === email.trim().toLowerCase();

  return {
    show,
    /** The fields of a submitted form; null if the person in it was signed in since it was shown. */
    async receive(context: RequestContext): Promise<URLSearchParams | null> {
      const { fields, isOwn } = await forms.receive(context);
      if (isOwn) return fields;
      if (await isIn(context, fields.get('email') ?? '')) return null;
      throw expired();
    },
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
