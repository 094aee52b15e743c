"""Clients that vanish: their connections end without FIN and RST.

python3 vanish.py PORT HOW reads a line with a JSON list of requests, sends each on a connection of its own,
waits until something comes back on each, and prints a JSON list of the connections' ports. At the next line
the clients vanish, and "gone" is printed, or why the system does not permit it. HOW is
  closed  the sockets are closed in TCP_REPAIR mode, which needs CAP_NET_ADMIN: the system answers whatever
          comes later with RST, as a computer does that was started again
  silent  a filter on the sockets drops what comes in, so nothing is acknowledged, as if the cable were cut;
          some systems want the same capability for it
The end of the input ends the program.
"""

import ctypes
import json
import socket
import struct
import sys

TCP_REPAIR = 19
SO_ATTACH_FILTER = 26
# One instruction of the packet filter: return 0, so that nothing passes.
NOTHING = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))


def vanish(client, how):
    if how == "closed":
        client.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
        client.close()
    else:
        filter = struct.pack("HP", 1, ctypes.addressof(NOTHING))
        client.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, filter)


def main():
    port, how = int(sys.argv[1]), sys.argv[2]
    socket.setdefaulttimeout(30)
    clients = []
    for request in json.loads(sys.stdin.readline()):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(request.encode())
        clients.append(client)
    for client in clients:
        client.recv(65536)
    print(json.dumps([client.getsockname()[1] for client in clients]), flush=True)
    sys.stdin.readline()
    try:
        for client in clients:
            vanish(client, how)
    except OSError as error:
        print(error, flush=True)
    else:
        print("gone", flush=True)
    sys.stdin.readline()


main()
