# SPDX-License-Identifier: Apache-2.0
"""What a job runs on: machines, their devices and the links between those, with their figures."""

import enum
import json

from paddle.base.arguments import integer

__all__ = ['AlphaLatency', 'Cluster', 'Device', 'DeviceType', 'Link', 'LinkType', 'Machine']


class DeviceType(enum.IntEnum):
    """What a device is."""

    UNKNOWN, CPU, GPU, XPU, DCU, NIC = 0, 1, 2, 3, 5, 6


class LinkType(enum.IntEnum):
    """How two devices are joined."""

    UNKNOWN, LOC, SYS, PHB, PIX, PIB, NVL, NVB, NET = range(9)


class Device:
    """A device of a machine: its speed in Gflop/s for each precision, and its memory in GB."""

    def __init__(self, global_id, local_id, machine):
        self.global_id, self.local_id, self.machine = global_id, local_id, machine
        self.type, self.model = None, None
        self.sp_gflops = self.dp_gflops = self.hp_gflops = self.memory = 0.0

    def __repr__(self):
        return (
            f'global_id: {self.global_id}, local_id: {self.local_id}, '
            f'machine_id: {self.machine.id}, type: {self.type.name}, model: {self.model}, '
            f'dp_flops: {self.dp_gflops}, sp_flops: {self.sp_gflops}, '
            f'hp_flops: {self.hp_gflops}, memory: {self.memory}'
        )


class Link:
    """A way from one device to another: its bandwidth in GB/s, its latency in microseconds."""

    def __init__(self, source, target):
        self.source, self.target, self.type = source, target, LinkType.UNKNOWN
        self.bandwidth = self.latency = 0.0
        self.hop = 0 if source.machine is target.machine else 1

    def __repr__(self):
        return (
            f'source_global_id: {self.source.global_id}, '
            f'target_global_id: {self.target.global_id}, type: {self.type}, '
            f'bandwidth: {self.bandwidth}, latency: {self.latency}'
        )


class Machine:
    """A machine: devices by number, links by the numbers of their ends."""

    def __init__(self, id):
        self.id, self.hostname, self.addr, self.port = id, None, None, None
        self.devices, self.links = {}, {}

    def add_device(self, device):
        """Add a device."""
        self.devices[device.global_id] = device

    def add_link(self, link):
        """Add a link that begins here."""
        self.links[link.source.global_id, link.target.global_id] = link

    def __repr__(self):
        return ', '.join(
            [f'device: {d!r}' for d in self.devices.values()]
            + [f'link: {k!r}' for k in self.links.values()]
        )


class AlphaLatency:
    """What a message costs before its first byte, in microseconds: `base` of any, `intra` of one
    step within a machine, `inter` between machines, each for rings and for trees; `switch` of a
    switch on the way."""

    _DEFAULT = {
        'base': {'ring': 8.0, 'tree': 0.0},
        'intra': {'ring': 3.0, 'tree': 25.0},
        'inter': {'ring': 10.0, 'tree': 10.0},
        'switch': 10.0,
    }

    def __init__(self, alpha_latency=None):
        self._given = alpha_latency or {}

    def of(self, kind, form=None):
        """The latency of `kind` in `form` ('ring' or 'tree'; `switch` has none)."""
        found = self._given.get(kind)
        if isinstance(found, dict):
            found = found.get(form)
        if found is None:
            found = self._DEFAULT[kind] if form is None else self._DEFAULT[kind][form]
        return float(found)


class Cluster:
    """The machines of a job.

    Examples:
        >>> from paddle.distributed.auto_parallel.static.cluster import Cluster
        >>> cluster = Cluster()
        >>> cluster.gen_default_config_cluster(node_count=2, device_count=2)
        >>> cluster.get_num_machines(), cluster.rank_to_device_id
        (2, {0: 0, 1: 1, 2: 4, 3: 5})
    """

    def __init__(self):
        self.machines, self.alpha_latency = {}, None
        self.rank_to_device_id, self.device_id_to_rank = {}, {}

    def add_machine(self, machine):
        """Add a machine."""
        self.machines[machine.id] = machine

    def add_device(self, device):
        """Add a device to its machine."""
        device.machine.add_device(device)

    def add_link(self, link):
        """Add a link to the machine of its source."""
        link.source.machine.add_link(link)

    def build_from_file(self, json_file_path):
        """Read machines from a JSON file: a list `machines`, each with `devices` and `links`."""
        with open(json_file_path, encoding='utf-8') as stream:
            self._build_from_dict(json.load(stream))

    def _build_from_dict(self, cluster_info):
        for found in cluster_info['machines']:
            machine = Machine(len(self.machines))
            machine.hostname, machine.addr = found.get('hostname'), found.get('addr')
            machine.port = found.get('port')
            self.add_machine(machine)
            for given in found.get('devices', ()):
                device = Device(int(given['global_id']), given.get('local_id'), machine)
                device.type = DeviceType[given.get('type', 'UNKNOWN')]
                device.model = given.get('model')
                for key in ('sp_gflops', 'dp_gflops', 'hp_gflops', 'memory'):
                    setattr(device, key, float(given.get(key, 0)))
                self.add_device(device)
        devices = self._devices()
        for found in cluster_info['machines']:
            for given in found.get('links', ()):
                ends = [int(given[f'{end}_global_id']) for end in ('source', 'target')]
                for end in ends:
                    if end not in devices:
                        raise ValueError(
                            f'[Cluster] expected links between devices that are listed, got {end}'
                        )
                link = Link(*(devices[end] for end in ends))
                link.type = LinkType[given.get('type', 'UNKNOWN')]
                link.bandwidth = float(given.get('bandwidth', 0))
                link.latency = float(given.get('latency', 0))
                self.add_link(link)
        if 'alpha_latency' in cluster_info:
            self.alpha_latency = AlphaLatency(cluster_info['alpha_latency'])
        ranked = [d for d in devices.values() if d.type not in (DeviceType.CPU, DeviceType.NIC)]
        for device in ranked or [d for d in devices.values() if d.type == DeviceType.CPU]:
            rank = len(self.rank_to_device_id)
            self.rank_to_device_id[rank] = device.global_id
            self.device_id_to_rank[device.global_id] = rank

    def gen_default_config_cluster(
        self,
        gpu_model='V100',
        cpu_model='6271C',
        node_count=1,
        device_count=1,
        gpu_memory=32,
        cpu_memory=503,
        inter_bandwidth=24,
        intra_bandwidth=235,
        gpu_dp_gflops=7800,
        gpu_sp_gflops=15700,
        gpu_hp_gflops=31400,
        cpu_dp_gflops=75,
        cpu_sp_gflops=150,
    ):
        """Machines that are alike: each with `device_count` GPUs, a CPU and a network card."""
        nodes, number = [], 0
        for _ in range(integer('Cluster', 'node_count', node_count)):
            devices = []
            for local in range(integer('Cluster', 'device_count', device_count)):
                devices.append(
                    {
                        'local_id': local,
                        'type': 'GPU',
                        'model': gpu_model,
                        'sp_gflops': gpu_sp_gflops,
                        'dp_gflops': gpu_dp_gflops,
                        'hp_gflops': gpu_hp_gflops,
                        'memory': gpu_memory,
                    }
                )
            devices.append(
                {
                    'local_id': 0,
                    'type': 'CPU',
                    'model': cpu_model,
                    'sp_gflops': cpu_sp_gflops,
                    'dp_gflops': cpu_dp_gflops,
                    'memory': cpu_memory,
                }
            )
            devices.append({'local_id': 0, 'type': 'NIC'})
            for device in devices:
                device['global_id'], number = number, number + 1
            nodes.append({'devices': devices, 'links': []})
        cards = [node['devices'][-1]['global_id'] for node in nodes]
        for node in nodes:
            for source in node['devices']:
                for target in node['devices']:
                    if source is target:
                        continue
                    fast = source['type'] == target['type'] == 'GPU'
                    node['links'].append(
                        {
                            'source_global_id': source['global_id'],
                            'target_global_id': target['global_id'],
                            'type': 'NVL' if fast else 'PHB',
                            'bandwidth': intra_bandwidth if fast else inter_bandwidth,
                        }
                    )
            card = node['devices'][-1]['global_id']
            node['links'] += [
                {
                    'source_global_id': card,
                    'target_global_id': other,
                    'type': 'NET',
                    'bandwidth': inter_bandwidth,
                }
                for other in cards
                if other != card
            ]
        self._build_from_dict({'machines': nodes})

    def _devices(self):
        return {d.global_id: d for m in self.machines.values() for d in m.devices.values()}

    def get_device(self, device_global_id):
        """The device of a number."""
        return self._devices()[device_global_id]

    def get_all_devices(self, device_type):
        """All devices of a type, 'GPU' or `DeviceType.GPU`."""
        wanted = DeviceType[device_type] if isinstance(device_type, str) else device_type
        return [d for d in self._devices().values() if d.type == wanted]

    def get_num_machines(self):
        """How many machines there are."""
        return len(self.machines)

    def get_num_devices_per_machine(self):
        """How many devices of a machine have ranks."""
        ranked = set(self.device_id_to_rank)
        return max((len(ranked & set(m.devices)) for m in self.machines.values()), default=0)

    def convert_rank_to_device_id(self, group_ranks):
        """The numbers of the devices of ranks."""
        return [self.rank_to_device_id[rank] for rank in group_ranks]

    def get_involved_machine_count(self, device_ids):
        """How many machines the devices stand in."""
        return len({self.get_device(i).machine.id for i in device_ids})

    def cross_machine(self, device_ids):
        """Whether the devices stand in several machines."""
        return self.get_involved_machine_count(device_ids) > 1

    def _bandwidth(self, source, target):
        link = self.get_device(source).machine.links.get((source, target))
        if link is not None and link.bandwidth:
            return link.bandwidth
        ends = [self.get_device(i) for i in (source, target)]
        slow = [
            k.bandwidth
            for end in ends
            for k in end.machine.links.values()
            if k.bandwidth and (k.type == LinkType.NET) == (ends[0].machine is not ends[1].machine)
        ]
        slow = slow or [
            k.bandwidth for end in ends for k in end.machine.links.values() if k.bandwidth
        ]
        return min(slow, default=1.0)

    def get_beta(self, source_device_id, target_device_id):
        """Microseconds a byte takes from one device to another: by their link, else by the
        slowest of those on the way."""
        if source_device_id == target_device_id:
            return 0.0
        return 1e6 / (self._bandwidth(source_device_id, target_device_id) * 1e9)

    def get_hop(self, source_device_id, target_device_id):
        """How many switches stand between two devices: one between machines."""
        return int(self.cross_machine([source_device_id, target_device_id]))


def get_default_cluster(json_config=None, auto_config=None):
    """The cluster of a JSON file, else one machine with the processes of this job.

    Args:
        json_config (dict or str, default None): The content of the file, or its path.
        auto_config (dict, default None): Arguments of `Cluster.gen_default_config_cluster`.

    Returns:
        Cluster: the machines.

    Examples:
        >>> from paddle.distributed.auto_parallel.static.cluster import get_default_cluster
        >>> get_default_cluster(auto_config={'device_count': 4}).get_num_devices_per_machine()
        4
    """
    cluster = Cluster()
    if isinstance(json_config, str):
        cluster.build_from_file(json_config)
    elif json_config is not None:
        cluster._build_from_dict(json_config)
    else:
        from paddle.distributed import get_world_size

        cluster.gen_default_config_cluster(
            **{'device_count': get_world_size(), **(auto_config or {})}
        )
    return cluster
