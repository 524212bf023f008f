"""Fat-trees of 16 and 128 hosts as files of SPCL's htsim and of ours."""

RATE = 200  # Gb/s: htsim starts the messages of a rank as far apart as they take at this rate


class Tree:
    """A fat-tree of k pods; thin has one link of the k/2 that a switch has upwards, so that there
    is one way from a host to another."""

    def __init__(self, k, thin=False, delay=500):
        self.half, self.up, self.delay = k // 2, 1 if thin else k // 2, delay
        self.pods, self.hosts = k, k * k * k // 4

    def there(self):
        half = self.half
        text = f"Nodes {self.hosts}\nTiers 3\nPodsize {half * half}\n"
        for tier, down in enumerate([half, half, self.pods]):
            text += f"\nTier {tier}\nDownlink_speed_Gbps {RATE}\nRadix_Down {down}\n"
            if tier < 2:
                text += f"Radix_Up {self.up}\nOversubscribed {half // self.up}\n"
            text += f"Downlink_Latency_ns {self.delay}\nSwitch_Latency_ns 0\n"
        return text

    def here(self):
        half, up = self.half, self.up
        racks, spines, cores = self.pods * half, self.pods * up, up * up
        first_spine = self.hosts + racks
        first_core = first_spine + spines
        links = [(host, self.hosts + host // half) for host in range(self.hosts)]
        links += [(self.hosts + rack, first_spine + rack // half * up + i)
                  for rack in range(racks) for i in range(up)]
        links += [(first_spine + spine, first_core + spine % up * up + i)
                  for spine in range(spines) for i in range(up)]
        nodes = first_core + cores
        text = f"{nodes} {nodes - self.hosts} {len(links)}\n"
        text += " ".join(str(node) for node in range(self.hosts, nodes)) + "\n"
        for a, b in links:
            text += f"{a} {b} {RATE}Gbps {self.delay}ns 0\n"
        return text

    def back(self, a, b):
        """How long an acknowledgement of 64 bytes takes from b to a with nothing in its way, in
        ns."""
        rack, pod = self.half, self.half * self.half
        tiers = 1 if a // rack == b // rack else 2 if a // pod == b // pod else 3
        return round(2 * tiers * (self.delay + 64 * 8 / RATE))
