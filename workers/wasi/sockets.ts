/** `wasi:sockets` for a guest that has none: everything links, so std::net users load, and every call is refused. */
class Network {}
class TcpSocket {}
class UdpSocket {}
class IncomingDatagramStream {}
class OutgoingDatagramStream {}
class ResolveAddressStream {}

const refuse = (): never => {
  throw 'access-denied';
};

/** No guest ever holds a socket: the functions that would make one refuse, so the classes need no methods. */
export function socketImports(): Record<string, Record<string, unknown>> {
  return {
    'wasi:sockets/instance-network': { instanceNetwork: () => new Network() },
    'wasi:sockets/network': { Network, networkErrorCode: () => undefined },
    'wasi:sockets/ip-name-lookup': { ResolveAddressStream, resolveAddresses: refuse },
    'wasi:sockets/tcp': { TcpSocket },
    'wasi:sockets/tcp-create-socket': { createTcpSocket: refuse },
    'wasi:sockets/udp': { UdpSocket, IncomingDatagramStream, OutgoingDatagramStream },
    'wasi:sockets/udp-create-socket': { createUdpSocket: refuse },
  };
}
