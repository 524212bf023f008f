package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// share returns which part of a link of 100 Gb/s the given number of long flows use, each from a
// host of its own with a link as fast, under the given factor: from the time when all have begun
// on.
func share(t *testing.T, flows int, factor sluice.Ratio) float64 {
	const delay, packets = 5 * sluice.Microsecond, 8750 // a packet is 0.8 % of an HRTT
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: delay}
	const node, sink, host sluice.SwitchID = 0, 1, 2
	n := newNetwork(t, 1)
	down, _ := n.Connect(node, sink, link)
	upstream := []int{0}
	for flow := range sluice.SwitchID(flows) {
		n.Connect(host+flow, node, link)
		n.start(host+flow, hostConfig(4))
		upstream = append(upstream, 4)
		n.send(uint64(flow+1), packets, 0, hop(host+flow, 0), hop(node, down))
	}
	n.start(node, Config{Queues: 32, Ideal: true, Factor: factor}, upstream...)
	received := func() (packets int) {
		for _, f := range n.Flows {
			packets += f.Received
		}
		return packets
	}
	const from, until = 200 * sluice.Microsecond, 700 * sluice.Microsecond
	n.Run(from)
	before := received()
	n.Run(until)
	n.audit()
	most := float64(until-from) / float64(80*sluice.Nanosecond)
	return float64(received()-before) / most
}

// Long flows do not fill a link: a queue is resumed when it is empty, and idle for an HRTT. In
// step, flows that arrive at k times the rate of the egress use k^2/(k^2+k-1) of it: 4/5, 9/11,
// 16/19. That is the least; flows out of step, and a larger factor, fill more.
func TestLongFlowsLeaveGaps(t *testing.T) {
	for _, flows := range []int{2, 3, 5} {
		k := float64(flows)
		least := k * k / (k*k + k - 1)
		used := share(t, flows, sluice.Ratio{})
		t.Logf("%d flows use %.3f of the link, at least %.3f expected", flows, used, least)
		require.Greater(t, used, least-0.02, "%d flows", flows)
		require.Less(t, used, 0.97, "%d flows", flows)
		more := share(t, flows, sluice.Ratio{Num: 4, Den: 1})
		busy := k / (k - 1) * (4 + k - 1)
		require.Greater(t, more, busy/(busy+1)-0.02, "%d flows, F = 4", flows)
	}
	require.Greater(
		t, share(t, 1, sluice.Ratio{}), 0.99, "nothing pauses one flow as fast as the link",
	)
}
