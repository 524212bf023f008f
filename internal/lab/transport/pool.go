package transport

// ring is the place of a ring in its pool: where it begins, and its size.
type ring struct {
	at   int32
	log2 int8 // of the number of packets
}

var none = ring{log2: -1}

// pool has the rings of irn in one slice, with the free ones of each size in a list. A ring of n
// packets has n words for the sender and n bits for the receiver.
type pool struct {
	words []uint32
	free  [log2MaxCap + 1]int32 // place of the first free ring plus one; 0: none
}

const log2MaxCap = 16

// take returns a ring for at least n packets, 1 to MaxCap, in which no packet has come.
func (p *pool) take(n int32) ring {
	r := ring{log2: int8(log2Up(n))}
	if head := p.free[r.log2]; head != 0 {
		r.at = head - 1
		p.free[r.log2] = int32(p.words[r.at])
		clear(p.words[r.at : r.at+r.length()])
		return r
	}
	r.at = int32(len(p.words))
	for range r.length() {
		p.words = append(p.words, 0)
	}
	return r
}

func (p *pool) release(r ring) {
	if r == none {
		return
	}
	p.words[r.at] = uint32(p.free[r.log2])
	p.free[r.log2] = r.at + 1
}

func (r ring) length() int32 { return 1<<r.log2 + (1<<r.log2+31)/32 }

// word returns the sender's word of a packet.
func (p *pool) word(r ring, sequence int32) *uint32 {
	return &p.words[r.at+sequence&(1<<r.log2-1)]
}

// bit returns the receiver's bit of a packet.
func (p *pool) bit(r ring, sequence int32) (word *uint32, bit uint32) {
	n := sequence & (1<<r.log2 - 1)
	return &p.words[r.at+1<<r.log2+n>>5], 1 << (n & 31)
}
