# SPDX-License-Identifier: Apache-2.0
"""Values by key over HTTP, by which processes of a job find each other."""

import http.server
import logging
import threading

__all__ = ['KVHTTPServer', 'KVHandler', 'KVServer']

_log = logging.getLogger(__name__)
_MOST_BYTES = 1 << 20


class KVHandler(http.server.BaseHTTPRequestHandler):
    """PUT keeps a value at `/scope/key`, GET gives it, DELETE notes that a process is done with
    it."""

    def _path(self):
        parts = [part for part in self.path.split('/') if part]
        return (parts[0], parts[1]) if len(parts) == 2 else None

    def _answer(self, status, content=b''):
        self.send_response(status)
        self.send_header('Content-Length', str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_PUT(self):
        """Keep the body."""
        path, size = self._path(), self.headers.get('Content-Length', '')
        if path is None or not size.isdigit() or int(size) > _MOST_BYTES:
            return self._answer(400)
        value = self.rfile.read(int(size))
        with self.server.lock:
            self.server.values[path] = value
        return self._answer(200)

    def do_GET(self):
        """Give the value; 404 where there is none."""
        with self.server.lock:
            value = self.server.values.get(self._path())
        return self._answer(404) if value is None else self._answer(200, value)

    def do_DELETE(self):
        """Count the key as done with in its scope."""
        path = self._path()
        if path is None:
            return self._answer(400)
        with self.server.lock:
            self.server.done.setdefault(path[0], set()).add(path[1])
        return self._answer(200)

    def log_request(self, code='-', size='-'):
        """Requests are noted at the level of debugging."""
        _log.debug('%s %s: %s, %s bytes', self.command, self.path, code, size)


class KVHTTPServer(http.server.ThreadingHTTPServer):
    """The server: values by (scope, key), and the keys of each scope that are done with."""

    def __init__(self, port, handler):
        super().__init__(('', port), handler)
        self.lock, self.values, self.done = threading.Lock(), {}, {}

    def get_deleted_size(self, key):
        """How many keys of a scope are done with."""
        with self.lock:
            return len(self.done.get(key, ()))


class KVServer:
    """A server in a thread. It may stop once `size` keys of each scope are done with.

    Args:
        port (int): Where it listens; 0 for any free port.
        size (dict, default {}): How many keys of each scope must be deleted.

    Examples:
        >>> from paddle.distributed.fleet.utils.http_server import KVServer
        >>> server = KVServer(0, {'job': 1})
        >>> server.start()
        >>> server.should_stop()
        False
        >>> server.stop()
    """

    def __init__(self, port, size={}):
        self.http_server, self.size = KVHTTPServer(port, KVHandler), dict(size)
        self.listen_thread = None

    def start(self):
        """Listen."""
        self.listen_thread = threading.Thread(target=self.http_server.serve_forever, daemon=True)
        self.listen_thread.start()

    def stop(self):
        """Listen no more."""
        self.http_server.shutdown()
        self.listen_thread.join()
        self.http_server.server_close()

    def should_stop(self):
        """Whether all are done."""
        return all(self.http_server.get_deleted_size(k) >= n for k, n in self.size.items())
