"""Opens the zoo: a listener for every row of the table, the name server, the certificates."""

import threading

from . import bodies, heads, names, pace, places, resets, statuses, tls
from .certificates import Certificates
from .listener import Listener
from .table import ZOO

KEEPERS = (bodies, heads, names, pace, places, resets, statuses, tls)  # they fill the table


class Zoo:
    def __init__(self, folder):
        self.rows = dict(ZOO)
        self.certificates = Certificates(folder)
        self.name_server = names.NameServer(names.answer_of_the_zoo)
        self._bystander = Listener(lambda connection: connection.stay())
        self._listeners = {}
        self._places = {}
        for row in self.rows.values():
            self._open(row)

    def url(self, row):
        scheme = "https" if row.certificate or row.tls else "http"
        return f"{scheme}://{row.host}:{self._port(row)}/{row.name}?from=zoo"

    def trust(self, row):
        """The fields of a request that concern TLS."""
        if not (row.certificate or row.tls):
            return {}
        fields = {"ca": str(self.certificates.certificate("root"))}
        if row.client:
            chain, key = self.certificates.chain(row.client)
            fields |= {"cert": str(chain), "key": str(key)}
        return fields

    def connections(self, row):
        if row.name in self._places:
            return 0
        return self._counter(row).connections

    def requests(self, row):
        return self._counter(row).requests if row.name in self._listeners else 0

    def wait_for_rest(self, row, rests):
        self._listeners[row.name].wait_for_rest(rests)

    def faults(self):
        found = list(self.name_server.faults)
        for name, listener in self._listeners.items():
            found += [f"{name}: {fault}" for fault in listener.faults]
        return found

    def close(self):
        everybody = [*self._listeners.values(), *self._places.values(), self._bystander]
        closers = [threading.Thread(target=one.close) for one in [*everybody, self.name_server]]
        for closer in closers:
            closer.start()
        for closer in closers:
            closer.join()

    def _open(self, row):
        if row.name in places.PLACES:
            self._places[row.name] = places.PLACES[row.name]()
        elif row.play:
            context = tls.server_context(self.certificates, row) if row.certificate else None
            self._listeners[row.name] = Listener(row.play, tls=context)

    def _counter(self, row):
        """Rows without a listener of their own must not reach the one beside them."""
        return self._listeners.get(row.name, self._bystander)

    def _port(self, row):
        if row.name in self._places:
            return self._places[row.name].port
        return self._counter(row).port
