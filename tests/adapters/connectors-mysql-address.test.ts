import { expect } from 'chai';
import { addressDefect, readAddress } from '../../src/adapters/connectors/mysql/address.ts';

describe('an address of MySQL', () => {
  it('is read with everything in it, percent-encoded or not', () => {
    const text = 'mysql://s%40:p%2F%3Aw%5D@[::1]:3307/my%20shop?ssl-mode=verify_ca&ssl-ca=/etc/ca.pem';
    expect(readAddress(text)).to.deep.equal({
      host: '::1',
      port: 3307,
      user: 's@',
      password: 'p/:w]',
      database: 'my shop',
      tls: 'VERIFY_CA',
      caFile: '/etc/ca.pem',
    });
  });

  it('has the usual port, no database and no TLS unless it says so', () => {
    expect(readAddress('mariadb://u:p@db.example.com')).to.deep.include({
      host: 'db.example.com',
      port: 3306,
      database: null,
      tls: 'DISABLED',
      caFile: null,
    });
  });

  it('is refused where it cannot be used, in words that repeat nothing of it', () => {
    const refused: Readonly<Record<string, RegExp>> = {
      'secret at db': /^must be an address that begins with mysql:\/\/$/,
      'postgres://u:secret@db/shop': /^must be an address that begins with mysql:\/\/$/,
      'mysql:///secret': /^must name a host$/,
      'mysql://u:secret@db/shop?sslmode=require': /^has a parameter that is not known: there are ssl-mode and ssl-ca$/,
      'mysql://u:secret@db/?ssl-mode=PREFERRED': /^has an ssl-mode that is not known: there are DISABLED, REQUIRED, /,
      'mysql://u:secret@db/?ssl-ca=/secret.pem': /^has an ssl-ca, which takes ssl-mode=VERIFY_CA or VERIFY_IDENTITY$/,
      'mysql://u:secret@db/?ssl-mode=REQUIRED&ssl-ca=/secret.pem': /^has an ssl-ca, which takes /,
      'mysql://u:secret%@db/': /^has a % that begins no encoded character$/,
      'mysql://u:secret@10.0.0.7/?ssl-mode=VERIFY_IDENTITY': /^has ssl-mode=VERIFY_IDENTITY, which takes the name of /,
      'mysql://u:secret@[::1]/?ssl-mode=VERIFY_IDENTITY': /^has ssl-mode=VERIFY_IDENTITY, which takes the name of /,
    };
    for (const [address, defect] of Object.entries(refused)) {
      expect(addressDefect(address), address).to.match(defect);
      expect(addressDefect(address), address).to.not.match(/secret/);
    }
    for (const address of [
      'mysql://u:p@db/shop?ssl-mode=VERIFY_IDENTITY',
      'mysql://u:p@10.0.0.7/?ssl-mode=VERIFY_CA&ssl-ca=/a',
    ])
      expect(addressDefect(address), address).to.equal(null);
  });
});
