package cbfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// BufferFor returns the buffer per VL that keeps a link at full rate with packets of an MTU: room
// for the bytes sent in a period T_c, while an FCP travels to the peer and while the packets that
// it allows travel back, and for the MTU of credit that is not used. If that number is more than
// MaxAnnounced, the error beside it gives the rate that MaxAnnounced leaves; else the error reports
// that the link, period or MTU is out of range.
func BufferFor(link sluice.Link, period sluice.Time, mtu sluice.Bytes) (sluice.Bytes, error) {
	period, mtu, err := defaults(link, period, mtu, 0)
	if err != nil {
		return 0, err
	}
	frame := link.Rate.TimeOf(mtu)
	packets := (period + loop(link, mtu) + frame - 1) / frame
	need := sluice.Bytes(packets+1) * sluice.Bytes(blocks(int64(mtu))) * Block
	if need <= MaxAnnounced {
		return need, nil
	}
	alone, _ := rates(link, period, mtu, MaxAnnounced)
	return need, fmt.Errorf("cbfc: full rate needs %d bytes of buffer, and %d can be announced: at "+
		"most %v",
		need, MaxAnnounced, alone)
}

// RateFor returns the rate at which packets of an MTU go through a VL that always has some, where
// the other end has a buffer: over one link alone, and the least over any number of such links in a
// row. In a row the ports' FCPs may be sent at instants that do not fit together, so that room
// which one link makes is announced a period later on the one before it. Zero period, MTU and
// buffer mean the defaults; the error says that something is out of range.
func RateFor(
	link sluice.Link, period sluice.Time, mtu, buffer sluice.Bytes,
) (alone, inARow sluice.Rate, err error) {
	period, mtu, err = defaults(link, period, mtu, buffer)
	if err != nil {
		return 0, 0, err
	}
	if buffer == 0 {
		buffer = MaxAnnounced
	}
	alone, inARow = rates(link, period, mtu, buffer)
	return alone, inARow, nil
}

// defaults returns the period and the MTU with the defaults filled in, or names the value out of
// range.
func defaults(
	link sluice.Link, period sluice.Time, mtu, buffer sluice.Bytes,
) (sluice.Time, sluice.Bytes, error) {
	c := Config{Ports: []PortConfig{{Link: link, Period: period, Buffer: buffer}}, MTU: mtu}
	c, err := c.withDefaults()
	if err != nil {
		return 0, 0, err
	}
	return c.Ports[0].Period, c.MTU, nil
}

// loop returns how long it takes until an FCP has let a packet come.
func loop(link sluice.Link, mtu sluice.Bytes) sluice.Time {
	return link.RoundTrip().Add(link.Rate.TimeOf(mtu)).Add(link.Rate.TimeOf(WireLength))
}

// rates are the results of RateFor, of a period and a buffer that are in range.
//
// Let x(k) be the bytes that have arrived when FCP k is sent, B the buffer in whole packets, T the
// period and L the loop. What FCP j allows, x(j) + B, ends to bind when FCP j + 1 comes; from then
// on the link adds packets at its rate, A(t) from 0 to t, and none before. So x(k) is the least,
// over all m with m*T at least L, of x(k-m) + B + A((m-1)*T - L), and grows by the least mean of
// these terms.
func rates(
	link sluice.Link, period sluice.Time, mtu, buffer sluice.Bytes,
) (alone, inARow sluice.Rate) {
	const terms = 16 // means come near the rate of the link from there on
	packets := min(buffer/Block, maxCredit) / sluice.Bytes(blocks(int64(mtu)))
	around, frame := loop(link, mtu), link.Rate.TimeOf(mtu)
	over := func(packets sluice.Bytes, span sluice.Time) sluice.Rate {
		return sluice.Rate(float64(packets*mtu) * 8 * float64(sluice.Second) / float64(span))
	}
	alone = link.Rate
	first := (around + period - 1) / period
	for m := first; m < first+terms; m++ {
		added := sluice.Time(0)
		if late := (m-1)*period - around; late >= 0 {
			added = 1 + late/frame
		}
		alone = min(alone, over(packets+sluice.Bytes(added), m*period))
	}
	return alone, min(link.Rate, over(packets, period+around))
}
