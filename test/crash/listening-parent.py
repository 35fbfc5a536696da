"""Listens, and runs a command with the socket as systemd does, again each time that it ends, until one fails."""

import os
import signal
import socket
import sys

listening = socket.create_server(("127.0.0.1", 0), backlog=4096)
print(listening.getsockname()[1], flush=True)

child = None


def terminate(*_):
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    sys.exit()


signal.signal(signal.SIGTERM, terminate)
while True:
    child = os.fork()
    if child == 0:
        os.dup2(listening.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
        os.execvp(sys.argv[1], sys.argv[1:])
    print(child, flush=True)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("the command failed")
