import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  egressFault,
  egressReasonOf,
  isHeaderPermitted,
  isHeaderValue,
  isHttpPermitted,
  judgeUrl,
  type EgressMode,
  type EgressRules,
} from '../../kernel/egress.js';
import { parseAllowList } from '../../kernel/egress-allow-list.js';
import { runs } from '../support/runs.js';
import { drawSeed } from '../support/test-environment.js';

const rulesOf = (list: string, mode: EgressMode = 'public'): EgressRules => {
  const parsed = parseAllowList(list);
  if ('malformed' in parsed) throw new Error(`malformed: ${parsed.malformed}`);
  return { mode, ...parsed };
};
const verdict = (rules: EgressRules, url: string): string => {
  const judged = judgeUrl(rules, url);
  return typeof judged === 'string' ? judged : 'permitted';
};

describe('rules of the egress', () => {
  it('permits https on port 443 alone while nothing is listed', () => {
    const rules = rulesOf('');
    const verdicts = {
      'https://api.example.com/v1': 'permitted',
      'HTTPS://api.example.com:443': 'permitted',
      'https://api.example.com:8443': 'port',
      'http://api.example.com': 'scheme',
      'http://api.example.com:443': 'scheme',
      'ftp://api.example.com': 'scheme',
      'file:///etc/passwd': 'url',
      'unix:/var/run/docker.sock': 'url',
      'data:text/plain,x': 'url',
      'https://user@api.example.com': 'url',
      'https://:secret@api.example.com': 'url',
      'https://[fe80::1%25eth0]/': 'url',
      'https://256.0.0.1/': 'url',
      'https://': 'url',
      'api.example.com': 'url',
    };
    for (const [url, expected] of Object.entries(verdicts)) {
      expect(verdict(rules, url), url).to.equal(expected);
    }
  });

  it('permits http and other ports for a listed host and port, and for no other', () => {
    const rules = rulesOf('127.0.0.1:9090, [::1]:9090, models.example:80');
    for (const url of [
      'http://127.0.0.1:9090/v1',
      'https://127.0.0.1:9090',
      'http://2130706433:9090',
      'http://[0:0::1]:9090',
      'http://MODELS.example',
      'http://models.example.:80',
    ]) {
      expect(verdict(rules, url), url).to.equal('permitted');
      expect(isHttpPermitted(rules, url), url).to.equal(true);
    }
    for (const url of [
      'http://127.0.0.1:9091',
      'http://127.0.0.2:9090',
      'http://models.example:81',
    ])
      expect(verdict(rules, url), url).to.equal('scheme');
    expect(isHttpPermitted(rules, 'https://api.example.com')).to.equal(false);
  });

  it('refuses all hosts but the listed ones where it lists hosts, and all where it is off', () => {
    const rules = rulesOf('api.example.com,Bücher.example,models.example:8000', 'listed');
    for (const url of [
      'https://api.example.com',
      'https://api.example.com./',
      'https://xn--bcher-kva.example',
      'https://models.example:8000',
    ]) {
      expect(verdict(rules, url), url).to.equal('permitted');
      expect(verdict({ ...rules, mode: 'off' }, url), url).to.equal('off');
    }
    for (const url of [
      'https://example.com',
      'https://x.api.example.com',
      'https://api.example.com.evil.example',
      'https://models.example',
      'https://10.0.0.1',
    ])
      expect(verdict(rules, url), url).to.equal('host');
  });

  it('leaves hosts to their addresses where networks are listed', () => {
    const rules = rulesOf('10.0.0.0/8', 'listed');
    expect(judgeUrl(rules, 'https://models.example')).to.deep.equal({
      host: 'models.example',
      port: 443,
      isEndpoint: false,
      onlyNetworks: true,
    });
    expect(verdict(rules, 'http://10.0.0.1')).to.equal('scheme');
  });

  it('names the reason of a fault, also below errors of others', () => {
    const wrapped = new TypeError('fetch failed', { cause: egressFault('redirect') });
    expect(egressReasonOf(wrapped)).to.equal('redirect');
    expect(egressReasonOf(new Error('x', { cause: 'redirect' }))).to.equal(null);
  });

  it('permits headers but malformed ones and those of the connection', () => {
    for (const name of ['authorization', 'api-key', 'x-proxy', 'hostname', '__proto__'])
      expect(isHeaderPermitted(name), name).to.equal(true);
    const refused = 'Host transfer-encoding Proxy-Authorization X-Forwarded-For :path a:b é';
    for (const name of [...refused.split(' '), '', 'a b', 'a\r\nHost', 'host\0'])
      expect(isHeaderPermitted(name), name).to.equal(false);
    for (const value of ['', 'Bearer a b', 'caf\u00e9', 'a\tb'])
      expect(isHeaderValue(value), value).to.equal(true);
    for (const value of ['a\r\nHost: b', 'a\n', '\0', '€', '\x7f'])
      expect(isHeaderValue(value), value).to.equal(false);
  });
});

describe('the allow-list of the egress', () => {
  it('tells names, endpoints and networks apart', () => {
    expect(
      parseAllowList(' API.example.com,, a.example:8080 ,10.0.0.0/8,10.1.2.3,fd00::/8,[::1],::2 '),
    ).to.deep.equal({
      names: ['api.example.com'],
      endpoints: ['a.example:8080'],
      networks: ['10.0.0.0/8', '10.1.2.3/32', 'fd00::/8', '::1/128', '::2/128'],
    });
    expect(parseAllowList('[fd00::1]:443,a.example:443')).to.deep.include({
      endpoints: ['[fd00::1]:443', 'a.example:443'],
    });
  });

  it('refuses entries that mean something else than they look like', () => {
    for (const entry of [
      'https://api.example.com',
      '*.example.com',
      'a.example:0',
      'a.example:65536',
      'a.example:',
      ':443',
      'user@a.example',
      'a example',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0/8',
      'a.example/8',
      '10.0.0.0/8/8',
      'fd00::/129',
      '2130706433',
      '0x7f.1',
      '010.0.0.1',
      '1.2.3.4.5',
      'a..b',
      '.',
      '[::1',
      '[fe80::1%eth0]:80',
      'a?b',
      'a#b',
      'a\\b',
      'a%2eb',
    ])
      expect(parseAllowList(entry), entry).to.deep.equal({ malformed: entry });
    const many = Array.from({ length: 257 }, (_, at) => `h${at}.example`).join();
    expect(parseAllowList(many)).to.deep.equal({ malformed: 'more than 256 entries' });
  });

  it('permits exactly the URLs of a listed host and port, for any host and port', () => {
    const port = fc.integer({ min: 1, max: 65_535 });
    const host = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
    );
    fc.assert(
      fc.property(host, port, port, host, (listed, at, otherPort, other) => {
        const parsed = parseAllowList(`${listed}:${at}`);
        fc.pre('names' in parsed);
        const rules: EgressRules = { mode: 'listed', ...parsed };
        expect(verdict(rules, `http://${listed}:${at}/x`)).to.equal('permitted');
        expect(verdict(rules, `HTTPS://${listed.toUpperCase()}:${at}`)).to.equal('permitted');
        if (otherPort !== at)
          expect(verdict(rules, `http://${listed}:${otherPort}`)).to.equal('scheme');
        const isSame = new URL(`http://${other}`).host === new URL(`http://${listed}`).host;
        if (!isSame) expect(verdict(rules, `http://${other}:${at}`)).to.equal('scheme');
      }),
      { seed: drawSeed(), numRuns: runs(200) },
    );
  });

  it('reads back what it wrote, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webUrl()), (text) => {
        const parsed = parseAllowList(text);
        if ('malformed' in parsed) return;
        const { names, endpoints, networks } = parsed;
        const written = [...names, ...endpoints, ...networks].join();
        expect(parseAllowList(written)).to.deep.equal(parsed);
      }),
      { seed: drawSeed(), numRuns: runs(200) },
    );
  });
});
