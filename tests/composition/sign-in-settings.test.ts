import { expect } from 'chai';
import { readConfig } from '../../src/composition/config.ts';

const OIDC = { OIDC_ISSUER: 'https://id.example.com/', OIDC_CLIENT_ID: 'portico' };

describe('the settings of signing in', () => {
  it('are those of passwords alone unless there is an issuer', () => {
    const { oidcIssuer, oidcName, oidcScopes, oidcGroupsClaim, oidcRoles, oidcProvision, passwords } = readConfig({});
    expect([oidcIssuer, oidcRoles, oidcProvision, passwords]).to.deep.equal([null, null, false, 'on']);
    expect([oidcName, oidcScopes, oidcGroupsClaim]).to.deep.equal([
      'Sign in with your organisation',
      'openid email profile',
      'groups',
    ]);
  });

  it('keep the issuer as it calls itself, with its slash', () =>
    expect(readConfig(OIDC).oidcIssuer).to.equal('https://id.example.com/'));

  it('stop the start without passwords and without an issuer, and with an issuer that knows no client', () => {
    expect(() => readConfig({ PASSWORDS: 'off' })).to.throw(/PASSWORDS must be on, as long as OIDC_ISSUER is not set/);
    expect(readConfig({ ...OIDC, PASSWORDS: 'off' }).passwords).to.equal('off');
    expect(() => readConfig({ OIDC_ISSUER: OIDC.OIDC_ISSUER })).to.throw(/OIDC_CLIENT_ID must be set with OIDC_ISSUER/);
  });

  for (const issuer of ['http://localhost:8080/realms/a', 'http://127.0.0.1:1', 'http://[::1]:1'])
    it(`take ${issuer}`, () => expect(readConfig({ ...OIDC, OIDC_ISSUER: issuer }).oidcIssuer).to.equal(issuer));

  for (const issuer of [
    'http://id.example.com',
    'http://127.0.0.1.example.com',
    'ftp://a',
    'id.example.com',
    'https://a/?b',
    'https://u@a',
  ])
    it(`refuse ${issuer}`, () =>
      expect(() => readConfig({ ...OIDC, OIDC_ISSUER: issuer })).to.throw(/OIDC_ISSUER must be an https:\/\/ address/));

  it('take roles as JSON, of groups that may have any name', () => {
    const roles = { 'a group, with "marks"': 'admin', staff: 'member' };
    expect(readConfig({ ...OIDC, OIDC_ROLES: JSON.stringify(roles) }).oidcRoles).to.deep.equal(roles);
    for (const wrong of ['', 'staff', '[]', '{}', '{"a":"owner"}', '{"a":["admin"]}', 'null'].filter(Boolean))
      expect(() => readConfig({ ...OIDC, OIDC_ROLES: wrong }), wrong).to.throw(/OIDC_ROLES must be a JSON object/);
  });
});
