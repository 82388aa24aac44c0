import type { Identity } from '../../application/ports/identity-provider.ts';
import { lowerAddress } from '../../domain/access.ts';
import { isObject } from '../../domain/json.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Claims that a sign-in wants, besides those that every ID token has. */
const wanted = ['email', 'email_verified', 'name'];

export const isLacking = (claims: Claims, groupsClaim: string | null): boolean =>
  [...wanted, ...(groupsClaim === null ? [] : [groupsClaim])].some((name) => claims[name] === undefined);

const textOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

const lower = (value: unknown) => {
  const text = textOf(value);
  return text && lowerAddress(text);
};

/** The claims of the ID token, and what it lacks from UserInfo: of one address never the proof of another. */
export const mergedClaims = (token: Claims, more: Claims): Claims => {
  const isOtherAddress = token.email !== undefined && lower(more.email) !== lower(token.email);
  const { email_verified: verified, ...rest } = more;
  const added = isOtherAddress || verified === undefined ? rest : { ...rest, email_verified: verified };
  const isUnproved = token.email === undefined && more.email !== undefined;
  const { email_verified: isVerified, ...others } = token;
  return { ...added, ...others, ...(isVerified !== undefined && !isUnproved && { email_verified: isVerified }) };
};

/** Most providers send a list, some send the name of the only one. Entra ID names another place for more than 200 (OpenID Connect Core 5.6.2). */
const groupsOf = (claims: Claims, claim: string): readonly string[] | null => {
  const { [claim]: value, _claim_names: elsewhere } = claims;
  if (value === undefined && isObject(elsewhere) && Object.hasOwn(elsewhere, claim)) return null;
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
};

const LONGEST_NAME = 200;
const ADDRESS = /^[^\s@]{1,200}@[^\s@]+$/;

export const identityOf = (claims: Claims, issuer: string, groupsClaim: string): Identity => {
  const email = textOf(claims.email);
  return {
    issuer,
    subject: String(claims.sub),
    session: textOf(claims.sid),
    email: email !== null && email.length <= 254 && ADDRESS.test(email) ? email : null,
    emailVerified: claims.email_verified === true,
    name: textOf(claims.name)?.replaceAll('\0', '').slice(0, LONGEST_NAME) ?? null,
    groups: groupsOf(claims, groupsClaim),
    authenticatedAt: typeof claims.auth_time === 'number' ? new Date(claims.auth_time * 1000) : null,
  };
};
