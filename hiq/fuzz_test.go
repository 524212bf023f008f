package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
)

// FuzzPort decodes bytes to a configuration and to actions: packets, events of roots, service,
// calls that make no sense.
func FuzzPort(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 3, 0x0f, 0, 1, 0, 2, 1, 0x10, 2, 3, 0, 0, 9, 3, 8, 4, 4, 0, 1, 7, 3, 3, 3})
	f.Add([]byte{
		1, 0, 0xff, 0, 1, 0, 0, 0, 0, 1, 0, 5, 2, 0, 0, 9, 0, 7, 0, 7, 5, 0, 6, 0, 3, 3, 3, 3, 3, 3,
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		next := func() int {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return int(b)
		}
		const roots = 8
		mode := next()
		c := Config{
			Rate: 8 * sluice.Gbps, Roots: roots, Levels: 3, IQs: 3 + next()%8, MTU: 256,
			SingleTier: mode&1 != 0, Scheduler: Scheduler(mode >> 1 & 1), Speedup: 1 + mode>>2&1,
		}
		paths := make([][]int, 4)
		for i := range paths {
			mask := next()
			for root := range roots {
				if mask>>root&1 != 0 && len(paths[i]) < 5 {
					paths[i] = append(paths[i], (root+i)%roots)
				}
			}
		}
		d := newDriver(c, paths)
		fatal := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for len(data) > 0 {
			switch op := next(); op & 7 {
			case 0, 1:
				d.enqueue(op>>3&3, sluice.Bytes(1+next()))
			case 2:
				d.event(op>>3%7, next()%roots, next()%roots, next()%5)
			case 3, 4:
				_, err := d.step()
				fatal(err)
			case 5:
				fatal(d.drain())
			case 6:
				d.now += sluice.Time(next()) * sluice.Nanosecond
			case 7:
				misuse(d, next(), next())
			}
			fatal(d.check())
		}
		fatal(d.finish())
	})
}

// misuse takes packets that cannot be where they are said to be: all of it must be refused.
func misuse(d *driver, a, b int) {
	q, root := sluice.QueueID(a*257), b*31-5
	size := sluice.Bytes(1 << 40)
	if d.p.TakeOutput(size) || d.p.Take(d.now, q, root, size) || d.p.Take(d.now, Output, 0, 1) {
		panic("a packet that is not there was taken")
	}
	if d.single && (d.p.TakeSet(
		q, Place(uint32(a)<<24|uint32(b)), size,
	) || d.p.TakeSet(Output, 0, 1)) {
		panic("a packet that is not there was taken")
	}
	if d.p.Backlog(0xffff) != 0 || d.p.Packets(0xffff) != 0 || d.p.Sendable(0xffff) {
		panic("a queue that does not exist")
	}
}
