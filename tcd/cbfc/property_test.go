package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// counters64 is a VL of one direction of a link with counters that do not wrap.
type counters64 struct{ sent, received, limit, used int64 }

// TestAgainst64Bits: counters of 12 bits say what counters of 64 would, over a million packets,
// and no byte is sent over the peer's buffer.
func TestAgainst64Bits(t *testing.T) {
	packets := 1_000_000
	if testing.Short() {
		packets /= 10
	}
	random := prng.New(9)
	for _, buffer := range []sluice.Bytes{1536, 20_000, MaxAnnounced, 400_000} {
		c := Config{MTU: 1500, Classes: sluice.MakeClassSet(5)}
		for range 2 {
			c.Ports = append(c.Ports, PortConfig{
				Link: sluice.Link{Rate: 40 * g}, Buffer: buffer, PeerBuffer: buffer, Period: 1,
			})
		}
		sender, receiver := newSwitch(t, c), newSwitch(t, c)
		out, in, onward := sender.Port(0), receiver.Port(0), receiver.Port(1)
		capacity := int64(buffer / Block)
		m := counters64{limit: min(capacity, maxCredit)}
		var sizes []sluice.Bytes
		var now sluice.Time
		type told struct {
			Frame
			limit int64
		}
		var flying []told // FCPs on the way
		for sent := 0; sent < packets/4; {
			now++
			switch action := random.Below(8); {
			case action < 4:
				p := sluice.Packet{Size: sluice.Bytes(1 + random.Below(1500)), Class: 5, Ingress: sluice.Local}
				b := int64(blocks(int64(p.Size)))
				may := m.limit-m.sent >= int64(blocks(1500))
				if out.Sendable(5) != may || int64(out.Credit(5)) != m.limit-m.sent {
					require.Equal(t, m.limit-m.sent, int64(out.Credit(5)))
					require.Equal(t, may, out.Sendable(5))
				}
				if !may {
					continue
				}
				out.Enqueue(now, &p)
				out.Dequeue(now, 5, &p)
				m.sent += b
				m.received += b
				sent++
				p.Ingress = 0
				if random.Below(4) == 0 { // to the host itself
					in.Consume(now, &p)
					continue
				}
				m.used += b
				if v := onward.Enqueue(now, &p); v.Action() != sluice.Append || m.used > capacity {
					require.FailNow(t, "over the peer's buffer", "%v, %d of %d blocks", v, m.used, capacity)
				}
				sizes = append(sizes, p.Size)
			case action < 6 && len(sizes) > 0:
				p := sluice.Packet{Size: sizes[0], Class: 5}
				sizes = sizes[1:]
				onward.Dequeue(now, 5, &p)
				m.used -= int64(blocks(int64(p.Size)))
			case action == 6:
				receiver.Expire(now)
				var f Frame
				for in.PollFrame(now, &f) {
					flying = append(flying, told{f, m.received + min(capacity-m.used, maxCredit)})
				}
			case len(flying) > 0 && random.Below(4) == 0:
				out.Receive(now, &flying[0].Frame)
				if random.Below(10) == 0 { // doubled
					out.Receive(now, &flying[0].Frame)
				}
				m.limit = flying[0].limit
				flying = flying[1:]
			}
			if out.vls[5].sent != uint16(m.sent&counterMask) ||
				in.vls[5].received != uint16(m.received&counterMask) {
				require.Equal(t, uint16(m.sent&counterMask), out.vls[5].sent)
				require.Equal(t, uint16(m.received&counterMask), in.vls[5].received)
			}
			if onward.vls[5].credit < receiver.needed { // its own link never runs out here
				onward.Receive(now, &Frame{VL: 5, FCCL: (onward.vls[5].sent + maxCredit) & counterMask})
			}
		}
		require.Greater(t, m.sent, int64(10*4096), "the counters wrapped often")
		require.NoError(t, sender.Audit())
		require.NoError(t, receiver.Audit())
	}
}
