import { expect } from 'chai';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { signatures } from '../../src/adapters/oidc/signatures.ts';
import { IdentityFailure } from '../../src/application/ports/identity-provider.ts';

const [issuer, audience] = ['https://issuer.example.com', 'portico'];

describe('the signatures of an issuer', () => {
  const signedBy = (key: CryptoKey, kid?: string) =>
    new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'RS256', ...(kid !== undefined && { kid }) })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime('5m')
      .sign(key);

  for (const kid of [undefined, 'one'])
    it(`are verified where several keys ${kid === undefined ? 'have no name' : 'have the same name'}`, async () => {
      const [first, second, stranger] = await Promise.all([1, 2, 3].map(() => generateKeyPair('RS256')));
      if (!first || !second || !stranger) throw new Error('no keys were made');
      const published = await Promise.all([first, second].map(({ publicKey }) => exportJWK(publicKey)));
      const keys = published.map((key) => ({ ...key, ...(kid !== undefined && { kid }) }));
      const { verified } = signatures({
        issuer,
        audience,
        jwksUri: `${issuer}/keys`,
        fetch: async () => Response.json({ keys }),
      });
      for (const { privateKey } of [first, second])
        expect(await verified(await signedBy(privateKey, kid))).to.include({ sub: 'ada' });
      const forged = await verified(await signedBy(stranger.privateKey, kid)).catch((caught: unknown) => caught);
      expect(forged).to.be.instanceOf(IdentityFailure);
      const own = await signedBy(second.privateKey, kid);
      const forAnother = await verified(own, { audience: 'another' }).catch((caught: unknown) => caught);
      expect(forAnother).to.be.instanceOf(IdentityFailure);
    });
});
