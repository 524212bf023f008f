package pcn

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/sluicefc/sluice"
)

// FuzzParse: no bytes make Parse panic; an accepted frame is written so that it reads the same, and
// a refused one changes nothing.
func FuzzParse(f *testing.F) {
	four, six := sample(), sampleIPv6()
	f.Add(captured)
	f.Add(four.AppendTo(nil))
	f.Add(six.AppendTo(nil))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		fixed := bytes.Clone(b) // with the CRCs that no mutation finds
		if len(fixed) == IPv4Length && fixed[14] == 0x45 {
			fixed[24], fixed[25] = 0, 0
			binary.BigEndian.PutUint16(fixed[24:], ^onesSum(fixed[14:34]))
		}
		if len(fixed) == IPv4Length || len(fixed) == IPv6Length {
			end := len(fixed) - icrcLength
			if fixed[14]>>4 == 4 || len(fixed) == IPv6Length {
				binary.LittleEndian.PutUint32(fixed[end:], invariantCRC(fixed[ethernetLength:end]))
			}
		}
		for _, src := range [][]byte{b, fixed} {
			var c, again CNP
			if err := c.Parse(src); err != nil {
				if c != (CNP{}) {
					t.Fatal("a refused frame changed the CNP")
				}
				continue
			}
			if err := again.Parse(c.AppendTo(nil)); err != nil || again != withPKey(c) {
				t.Fatalf("%+v, then %+v, %v", c, again, err)
			}
			r, _ := NewReactionPoint(RPConfig{LineRate: 40 * g})
			r.Receive(&c)
			if r.Rate() < DefaultMinRate || r.Rate() > 40*g {
				t.Fatal(r.Rate())
			}
		}
		if !bytes.Equal(before, b) {
			t.Fatal("Parse changed the bytes")
		}
	})
}

// withPKey returns c with a P_Key of zero replaced, as AppendTo does.
func withPKey(c CNP) CNP {
	if c.PKey == 0 {
		c.PKey = defaultPKey
	}
	return c
}

// FuzzPoints decodes bytes to packets, times and CNPs, right and wrong ones, and checks what must
// hold of the three points.
func FuzzPoints(f *testing.F) {
	f.Add([]byte{0, 0, 10, 0, 4, 200, 1, 0, 255, 2, 0, 9, 3, 1, 200})
	f.Fuzz(func(t *testing.T, b []byte) {
		var p CongestionPoint
		n, err := NewNotificationPoint(NPConfig{Period: us})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReactionPoint(RPConfig{LineRate: 10 * g})
		if err != nil {
			t.Fatal(err)
		}
		var now, latest sluice.Time // what the clock shows, and the latest that n has seen
		for ; len(b) >= 3; b = b[3:] {
			x := int16(binary.BigEndian.Uint16(b[1:]))
			switch b[0] % 6 {
			case 0:
				p.Resumed(now, sluice.Bytes(x))
			case 1:
				before := p.Waiting()
				if p.Dequeue(now, sluice.Bytes(x), sluice.Bytes(b[2]), sluice.ECT1) == sluice.CE && before > 0 {
					t.Fatal("marked a packet that waited")
				}
				if p.Waiting() < 0 || p.Waiting() > before {
					t.Fatal(p.Waiting())
				}
			case 2:
				latest = max(latest, now)
				running := n.Deadline() != sluice.Never
				started := n.Arrive(now, sluice.Bytes(x), sluice.ECN(b[2]&3))
				if started && (running || n.Deadline() == sluice.Never) {
					t.Fatal("started what runs, or nothing")
				}
			case 3:
				now += sluice.Time(x) * 100 // may step back
			case 4:
				due := n.Deadline() <= max(now, latest)
				c, ok := n.Expire(now)
				if ok && (!due || c.RecRate == 0) || n.Deadline() <= now {
					t.Fatalf("due %v, %+v, deadline %v at %v", due, c, n.Deadline(), now)
				}
				if ok {
					r.Receive(&c)
				}
			case 5:
				r.Receive(&CNP{Congested: b[2]&1 != 0, RecRate: uint32(x)})
			}
			if r.Rate() < DefaultMinRate || r.Rate() > 10*g || r.Weight() > 1<<31 {
				t.Fatal(r.Rate(), r.Weight())
			}
		}
	})
}
