import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import {
  covers,
  isPrivateAddress,
  matches,
  type NetworkRule,
  type NetworkTarget,
  parseAllowEntry,
  parseTarget,
  permitsPrivate,
} from '../../src/policy/network.js';

function refusalOf(entry: string): string {
  try {
    parseAllowEntry(entry);
  } catch (error) {
    if (isMurError(error) && error.code === 'E-CAP-001') return error.message;
    throw error;
  }
  throw new Error(`'${entry}' was accepted`);
}

describe('an allow entry', () => {
  it.each([
    ['api.example.com', { host: 'api.example.com' }],
    ['  API.Example.COM ', { host: 'api.example.com' }],
    ['localhost:11434', { host: 'localhost', port: 11434 }],
    ['example.com:80', { host: 'example.com', port: 80 }],
    ['example.com:443', { host: 'example.com', port: 443 }],
    ['127.0.0.1', { host: '127.0.0.1' }],
    ['[::1]', { host: '[::1]' }],
    ['[::1]:8080', { host: '[::1]', port: 8080 }],
    ['bücher.example', { host: 'xn--bcher-kva.example' }],
    ['https://api.example.com', { scheme: 'https', host: 'api.example.com', port: 443 }],
    ['HTTP://API.example.com/', { scheme: 'http', host: 'api.example.com', port: 80 }],
    ['http://models.lan:11434', { scheme: 'http', host: 'models.lan', port: 11434 }],
    ['http://h:80', { scheme: 'http', host: 'h', port: 80 }],
    ['http://[fd00::1]:8080', { scheme: 'http', host: '[fd00::1]', port: 8080 }],
  ])('%s is read (S17)', (entry, expected) => {
    const { entry: text, exact: _, ...reach } = parseAllowEntry(entry);
    expect(reach).toEqual(expected);
    expect(text).toBe(entry.trim());
  });

  it.each([
    ['', 'entry must not be empty'],
    ['   ', 'entry must not be empty'],
    ['ftp://x', "unsupported URL scheme 'ftp' (expected http or https)"],
    ['https://x/path', 'URL allow entries must not include path, query, or fragment'],
    ['https://x?q', 'URL allow entries must not include path, query, or fragment'],
    ['https://x#f', 'URL allow entries must not include path, query, or fragment'],
    ['https://x\\y', 'URL allow entries must not include path, query, or fragment'],
    ['https://', 'URL allow entries must include a host'],
    ['https://:443', 'URL allow entries must include a host'],
    ['https://x:99999', 'invalid URL: not a host name or address with an optional port'],
    ['https://u:p@x', 'invalid URL: userinfo is not allowed'],
    ['x/path', 'host allow entries must be host or host:port only'],
    ['10.0.0.0/8', 'host allow entries must be host or host:port only'],
    ['u@x', 'host allow entries must be host or host:port only'],
    [':80', 'host allow entries must include a host'],
    ['x:99999', 'invalid host allow entry: not a host name or address with an optional port'],
    ['x:0', 'invalid host allow entry: port 0 cannot be reached'],
    ['x:', 'invalid host allow entry: the port is missing'],
    ['::1', 'invalid host allow entry: not a host name or address with an optional port'],
    ['a b', 'invalid host allow entry: white space is not part of a host'],
    ['*.example.com', 'invalid host allow entry: wildcards are not supported, list each host'],
  ])("'%s' is refused with its reason (S17)", (entry, reason) => {
    expect(refusalOf(entry)).toBe(`invalid network allow entry '${entry}': ${reason}`);
  });
});

const target = (scheme: 'http' | 'https', authority: string): NetworkTarget => parseTarget(scheme, authority)!;

describe('a rule', () => {
  it.each([
    ['example.com', 'http', 'example.com', true],
    ['example.com', 'https', 'EXAMPLE.com:8443', true],
    ['example.com', 'https', 'api.example.com', false],
    ['example.com', 'https', 'example.com.', false],
    ['example.com:80', 'http', 'example.com', true],
    ['example.com:80', 'https', 'example.com', false],
    ['https://example.com', 'https', 'example.com:443', true],
    ['https://example.com', 'http', 'example.com:443', false],
    ['https://example.com', 'https', 'example.com:8443', false],
    ['localhost', 'http', '127.0.0.1', false],
    ['127.0.0.1', 'http', 'localhost', false],
    ['127.0.0.1', 'http', '[::1]', false],
    ['127.0.0.1', 'http', '0x7f.1', true],
    ['127.0.0.1', 'http', '2130706433', true],
    ['[::1]', 'http', '[0:0:0:0:0:0:0:1]', true],
  ] as const)('%s lets %s to %s: %s', (entry, scheme, authority, expected) => {
    expect(matches(parseAllowEntry(entry), target(scheme, authority))).toBe(expected);
  });

  it.each([
    ['example.com', 'https://example.com', true],
    ['https://example.com', 'example.com', false],
    ['example.com', 'example.com:8080', true],
    ['example.com:8080', 'example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['example.com:80', 'https://example.com', false],
    ['http://example.com', 'https://example.com', false],
    ['example.com', 'example.org', false],
  ])('%s covers %s: %s', (parent, child, expected) => {
    expect(covers(parseAllowEntry(parent), parseAllowEntry(child))).toBe(expected);
  });

  it.each([
    ['127.0.0.1', true],
    ['[fd00::1]:80', true],
    ['localhost', true],
    ['localhost:8080', true],
    ['http://models.lan:11434', true],
    ['https://models.lan:443', true],
    ['http://models.lan', false],
    ['models.lan:11434', false],
    ['models.lan', false],
  ])('%s permits private addresses: %s (S20)', (entry, expected) => {
    expect(permitsPrivate(parseAllowEntry(entry))).toBe(expected);
  });
});

describe('a request target', () => {
  it.each([
    '',
    'u:p@host',
    'host/path',
    'host?q',
    'host#f',
    'host\\x',
    'host:0',
    'host:99999',
    'a b',
    '*',
    'host\nx',
    ':80',
  ])("'%s' is none", (authority) => {
    expect(parseTarget('https', authority)).toBeUndefined();
  });

  it('is none without an authority or with another scheme', () => {
    expect(parseTarget('https', undefined)).toBeUndefined();
    expect(parseTarget('ftp', 'host')).toBeUndefined();
  });
});

describe('isPrivateAddress', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '::ffff:0:10.0.0.1',
    '::10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:1::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'ff02::1',
    'not an address',
    '',
  ])('%s is private (S20)', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.0.0.1',
    '128.0.0.1',
    '169.253.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.1.1',
    '223.255.255.255',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
    '2002:101:101::',
    '2001:1::1',
    'fbff::1',
  ])('%s is public', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });

  it('says of any IPv4 address the same in every form that carries it', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
        const hex = `${a}${b}:${c}${d}`;
        const forms = [
          `::ffff:${address}`,
          `::FFFF:${hex}`,
          `0:0:0:0:0:ffff:${hex}`,
          `64:ff9b::${address}`,
          `2002:${hex}::1`,
        ];
        for (const form of forms) expect(isPrivateAddress(form), form).toBe(isPrivateAddress(address));
      }),
    );
  });

  it('reads every spelling of an IPv6 address the same', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
        const short = new URL(`http://[${long}]/`).hostname.slice(1, -1);
        expect(isPrivateAddress(short)).toBe(isPrivateAddress(long));
      }),
    );
  });
});

describe('rules, for any two', () => {
  const host = fc.constantFrom('a.example', 'b.example', 'localhost', '127.0.0.1', '[::1]');
  const port = fc.constantFrom('', ':80', ':443', ':8080');
  const scheme = fc.constantFrom('', 'http://', 'https://');
  const rule = fc.tuple(scheme, host, port).map((parts): NetworkRule => parseAllowEntry(parts.join('')));
  const anyTarget = fc.tuple(fc.constantFrom('http' as const, 'https' as const), host, port);

  it('cover exactly when every target of the child is one of the parent', () => {
    fc.assert(
      fc.property(rule, rule, anyTarget, (parent, child, [kind, name, at]) => {
        const to = target(kind, `${name}${at}`);
        if (covers(parent, child) && matches(child, to)) expect(matches(parent, to)).toBe(true);
      }),
    );
  });

  it('cover themselves, and what a covered rule covers', () => {
    fc.assert(
      fc.property(rule, rule, rule, (a, b, c) => {
        expect(covers(a, a)).toBe(true);
        if (covers(a, b) && covers(b, c)) expect(covers(a, c)).toBe(true);
      }),
    );
  });

  it('never throw anything but E-CAP-001 for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        try {
          const parsed = parseAllowEntry(text);
          expect(parsed.host).toBe(parsed.host.toLowerCase());
          expect(parsed.host).not.toMatch(/[\s/*@]/);
        } catch (error) {
          expect(isMurError(error) && error.code).toBe('E-CAP-001');
        }
      }),
      { numRuns: 500 },
    );
  });
});
