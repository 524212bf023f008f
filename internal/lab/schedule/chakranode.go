package schedule

import (
	"math"

	"github.com/sluicefc/sluice"
)

func (c *chakra) operations(n *chakraNode) (first, last Label, err error) {
	one := func(l Label, err error) (Label, Label, error) { return l, l, err }
	switch n.kind {
	case invalidNode:
		return one(c.mark(), nil)
	case metadataNode:
		return one(c.mark(), c.nameGroups(n))
	case memLoadNode, memStoreNode:
		return one(c.memory(n))
	case compNode:
		return one(c.compute(n))
	case sendNode, recvNode:
		return one(c.message(n))
	case collectiveNode:
		return c.collective(n)
	}
	return 0, 0, c.file.errorf("node %d has type %d: must be 0 to 7", n.id, n.kind)
}

// mark adds an operation that takes no time.
func (c *chakra) mark() Label { return c.b.Calc(c.rank, 0, messageStream) }

// number returns an attribute from 0 to most, or what stands for one that is not there.
func (c *chakra) number(n *chakraNode, name string, most, absent int64) (int64, error) {
	a, there := n.attributes[name]
	switch {
	case !there && absent >= 0:
		return absent, nil
	case !there:
		return 0, c.file.errorf("node %d has no %s", n.id, name)
	case !a.isNumber || a.number < 0 || a.number > most:
		return 0, c.file.errorf("%s of node %d must be a number from 0 to %d", name, n.id, most)
	}
	return a.number, nil
}

// lasts returns the duration of a node in nanoseconds.
func (c *chakra) lasts(n *chakraNode) (int64, error) {
	if n.micros > uint64(MaxCalc)/1000 {
		return 0, c.file.errorf("duration_micros of node %d is %d: must be at most %d", n.id, n.micros,
			MaxCalc/1000)
	}
	return int64(n.micros) * 1000, nil
}

// ratio returns how many nanoseconds count takes, rounded up, at a rate per nanosecond.
func (c *chakra) ratio(n *chakraNode, what string, count, rate int64) (int64, error) {
	ns := count / rate
	if count%rate > 0 {
		ns++
	}
	if ns > MaxCalc {
		return 0, c.file.errorf("%s of node %d takes more than 50 days", what, n.id)
	}
	return ns, nil
}

func (c *chakra) compute(n *chakraNode) (Label, error) {
	stream := gpuStream
	cpu, err := c.number(n, "is_cpu_op", 1, 0)
	if err != nil {
		return 0, err
	}
	if cpu == 1 {
		stream = cpuStream
	}
	ns, err := c.lasts(n)
	if err != nil {
		return 0, err
	}
	operations, err := c.number(n, "num_ops", math.MaxInt64, 0)
	if err != nil {
		return 0, err
	}
	size, err := c.number(n, "tensor_size", math.MaxInt64, 0)
	if err != nil {
		return 0, err
	}
	roofline := c.options.PeakPerf > 0 && c.options.LocalMemBW > 0
	switch {
	case cpu == 0 && roofline:
		// 10^12 operations a second are 1000 in a nanosecond, 10^9 bytes a second are one.
		compute, err := c.ratio(n, "num_ops", operations, 1000*c.options.PeakPerf)
		if err != nil {
			return 0, err
		}
		load, err := c.ratio(n, "tensor_size", size, c.options.LocalMemBW)
		if err != nil {
			return 0, err
		}
		ns = max(compute, load)
		if size == 0 {
			ns = 0
		}
	case ns == 0 && operations > 0:
		return 0, c.file.errorf("node %d has num_ops %d and no duration_micros: the rates peak-perf and "+
			"local-mem-bw say how long it takes", n.id, operations)
	}
	return c.b.Add(c.rank, Operation{Kind: Calc, Size: ns, CPU: stream}), nil
}

func (c *chakra) memory(n *chakraNode) (Label, error) {
	ns, err := c.lasts(n)
	if err != nil {
		return 0, err
	}
	size, err := c.number(n, "tensor_size", math.MaxInt64, 0)
	switch {
	case err != nil:
		return 0, err
	case c.options.RemoteMemBW > 0:
		if ns, err = c.ratio(n, "tensor_size", size, c.options.RemoteMemBW); err != nil {
			return 0, err
		}
		ns += int64(c.options.RemoteMemLatency / sluice.Nanosecond)
	case ns == 0 && size > 0:
		return 0, c.file.errorf("node %d has tensor_size %d and no duration_micros: the rate "+
			"remote-mem-bw says how long it takes", n.id, size)
	}
	return c.b.Add(c.rank, Operation{Kind: Calc, Size: ns, CPU: memoryStream}), nil
}

// message adds a send or a receive.
func (c *chakra) message(n *chakraNode) (Label, error) {
	o := Operation{Kind: Send, CPU: messageStream}
	mine, other := "comm_src", "comm_dst"
	if n.kind == recvNode {
		o, mine, other = Operation{Kind: Recv}, other, mine
	}
	me, err := c.number(n, mine, int64(c.n-1), int64(c.rank))
	if err != nil {
		return 0, err
	}
	if me != int64(c.rank) {
		return 0, c.file.errorf("%s of node %d is %d: must be %d, the rank of the file", mine, n.id, me,
			c.rank)
	}
	peer, err := c.number(n, other, int64(c.n-1), -1)
	if err != nil {
		return 0, err
	}
	if o.Size, err = c.number(n, "comm_size", MaxMessage, -1); err != nil {
		return 0, err
	}
	tag, err := c.number(n, "comm_tag", firstCollectiveTag-1, 0)
	if err != nil {
		return 0, err
	}
	o.Peer, o.Tag = int32(peer), uint32(tag)
	return c.b.Add(c.rank, o), nil
}
