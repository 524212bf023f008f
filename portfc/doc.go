// Package portfc is PortFC: per-port flow control for node-centric data centers, where nodes
// forward what is not for them (Cao, Ning, Zhao et al.: Revisiting Flow Control in Node-Centric
// Datacenter Networks, IEEE Transactions on Networking, 2026).
//
// In [NDC](n,k) a packet passes switches and nodes in turn. A switch has for each egress port n-1
// inter-hop forwarding queues, IHFQs (A), for packets that the next node relays, by the port of the
// switch after that node; one destination-direct queue, DDQ (B), for packets to the next node; and
// one high-priority queue, HQ. A node has for each port n-1 queues for its own packets that another
// node will relay (a, "four-hop", as the paper counts links), and n-1 for its own packets that no
// node will (b, "two-hop"), both by the port of the next switch; one relay queue for other nodes'
// packets (c); and HQ.
//
// Each egress port of a switch has two detectors: of the bytes of its IHFQs together, and of the
// bytes of its DDQ. A detector that reaches X_off tells the nodes at all other ports to pause, and
// at X_on to resume: for IHFQs they pause the queue a of that egress port, for the DDQ the queue b,
// and each node tells its switches of the other layers, which pause their IHFQ of that port. So
// what stops is what goes to the congested port, up to three hops away:
//
//	switch_i Q_B >= X_off  ==>  Pause(node_(i-1) Q_b), Pause(switch_(i-2) Q_A)    (1)
//	switch_i Q_A >= X_off  ==>  Pause(node_(i-1) Q_a)                             (2)
//
// B, c and HQ are never held. A waits for B only, and a for A or nothing, so that no circle of
// waiting queues can close: the network has no deadlock.
//
// # Use
//
// A device follows the contract of package sluice. [SwitchConfig] and [NodeConfig] describe it by
// its number in the network. Beyond the contract:
//
//   - sluice.Packet.Path is the rest of the packet's route, this egress port first: [NDC.Path]
//     makes one. The embedder advances it when the packet leaves, as kit.Driver does. A packet
//     whose next hops are not in the network is dropped for sluice.BadPath.
//   - A packet's Class says only whether it takes the HQ: see Config.High. If it does, its path is
//     not read.
//   - A node is both host and switch. Its own packets have the ingress sluice.Local.
//   - Nodes must serve what they relay as soon as it comes: [Config.Headroom] and the bound on the
//     relay queue rely on it.
//
// Queue numbers are the numbers of [NDC], whose methods find a packet's queue by division and
// modulo on addresses, without a table.
//
// # What it does not promise
//
// For k = 1 no queue of a switch blocks packets for another port at the next switch. For k above 1
// the egress ports of equal number of all layers beyond a node share an IHFQ there, and block each
// other. Queues of a node can block for any k. Queue a[e] holds its packets for all ports beyond
// port e of its switch. If one of those far ports is congested, its DDQ holds one IHFQ of port e;
// when the IHFQs of e together reach X_off because of it, all of a[e] waits, victims for other far
// ports included. And a node's HQ and relay queue go before its own packets.
//
// The relay queue has no bound under the paper's rules: see Deviations.
//
// # Lost frames
//
// The paper repeats nothing: a lost Resume holds its queue for ever, and a lost Pause can cost a
// packet. With Config.Refresh every pause that holds is sent again in that period, and a device
// does not obey one for longer than Config.Expiry.
//
// # Forged frames
//
// Frames are not authenticated: a link on which an enemy can send needs IEEE 802.1AE, MACsec. A
// number ahead of the peer's makes the peer's frames late; three of them are refused, and the
// fourth in ascending order is obeyed, and all after it: PortCounters.Resynchronised. With
// Config.Refresh a forged pause ends Config.Expiry after the last of them, and what a forged resume
// let go is held again by the fourth refresh. RFC 3550, appendix A.1, and RFC 5961 bound forged
// numbers by the same means.
//
// # Deviations
//
//   - Where the text has lengths that "exceed" X_off and are "less than" X_on, Algorithms 1 and 2
//     have >= and <=: we take the algorithms' signs. The n^k switches "at layer k-1" (section
//     III-A) are the switches of each layer.
//   - upstreamIsPaused (Algorithms 1 and 2) is one flag per detector. With one flag for both, as
//     the listings have it, a port that paused for its IHFQs never says that its DDQ is full.
//   - The DDQ has the thresholds of the IHFQs, as the paper gives it none; a BDP is the rate of the
//     port times its one-way delay (section V-A: D is the latency of one hop).
//   - Algorithm 1 sends the queue of the packet that reached the threshold. Receivers look only at
//     whether it is the DDQ; we send the lowest number of the queues that the detector sums.
//   - The port in a frame is the congested egress port's own number, which a node passes on as it
//     is; every receiver leaves out the port that leads back. The frame also carries the layer of
//     the switch, which distinguishes two switches behind a node.
//   - A frame is built from state when it is polled. A node relays changes, not frames: it relays a
//     doubled frame once.
//   - Frames carry a sequence number, and a frame that is not newer than an earlier one is not
//     obeyed. The paper has none, nor a wire format: see [Frame].
//   - Algorithm 3, line 25, is an assertion. A frame that says what cannot be is counted as
//     malformed here; and so is a frame whose type is neither Pause nor Resume, which lines 8 and
//     18 take for Resume.
//   - The order of service beyond HQ is ours: at a node the relay queue, then a and b by deficit
//     round robin; at a switch IHFQs and DDQ by deficit round robin. Config.RelayInTurn has the
//     relay queue take turns, with which it grows without need.
//   - The relay queue is fed at line rate by k ports, and nothing in the paper holds these ports
//     back. Its backlog is bounded only as far as it is served as fast as it is fed, which fails
//     where another layer is faster, where HQ takes its share, and for k above 1. Config.RelayXOff
//     is a third detector: the node tells its other switches to hold their IHFQs towards it. A then
//     waits for c, and c waits for no queue.
//   - For k above 1 the paper's rules lose packets: the IHFQ at a middle switch is fed by relay
//     queues, its pause reaches queues a only, and no node relays it. New refuses such a network
//     without Config.HopClasses, under which packets with different numbers of relays left have
//     different queues and detectors. Class j at a switch holds the class j of its nodes, and
//     through them class j+1 of the switches before: A_0 is the DDQ, a_0 is b. j grows along every
//     chain of waiting queues, so that there is no circle. Switches then have k(n-1)+2 queues
//     instead of n+1; nodes have the paper's (k+1)(n-1)+2. For k = 1 the rules are the paper's.
//   - A full buffer drops and counts it, as in Algorithm 1, line 3. The paper does not say what
//     else CheckBufferAdmission does: here all queues share Config.Buffer, HQ included.
//   - ECN marks by what a packet leaves in its own queue, when it leaves: the paper gives K_min and
//     K_max, but says neither whose bytes they are compared with nor when.
//   - The paper says nothing of links that fail and devices that start anew: see [Port.LinkDown]
//     and [Port.LinkUp].
//   - K is at most 3, as a sluice.Path has room for 8 hops; the paper has "generally ... 4".
//   - A node is one host with one address. In section IV-A it may have several, which share a
//     subnet.
//   - Of Algorithm 5, [ATE] takes line 5, which sets the weight, and not Equation 3, which
//     multiplies it: a step is a new flow, and what is in flight takes a round trip to follow the
//     weight, so that the product falls without end while it does. Line 5 is taken at every step
//     and limited to 1: after line 4's test alone the weight could stay low when the load has gone.
//     It is set before the draw of line 2. Line 6 adds bytes to a proportion; w^N is 1 - w^H, as
//     the text has it, and T^N is not needed. w^H begins at 1. B_H, a rate, is compared with bytes
//     in flight: so it is given as the bytes of a base round-trip time.
//   - The paper's bounds on the buffer leave out that a switch counts a packet when all of it is
//     there: see [Config.Headroom].
package portfc
