package transport

import "github.com/sluicefc/sluice"

// selective is what irn keeps of a flow beyond flow. A ring has a word for each packet in flight,
// by its sequence number.
type selective struct {
	ring     ring
	last     int32 // packet sent last
	recovery int32 // in recovery while fewer packets are acknowledged
	searched int32 // all packets before it that were in flight are found lost already
	first    int32 // no packet before it is lost
	lost     int32 // packets to send again
	kept     int32 // packets that the receiver has beyond the first that is missing
	highest  int32 // at the receiver: no packet from it on has come
}

// The sender's word of a packet in flight: packetKept, packetLost, or in its low 31 bits the
// nanosecond at which its timer ends; they tell timers of at most MaxTimeout apart.
const (
	packetKept uint32 = 0
	packetLost uint32 = 1
	firstEnd   uint32 = 2
	sentAgain  uint32 = 1 << 31 // a SACK does not find it lost: only its timer does
)

func (s *selective) start(p *pool, packets int32) { *s = selective{ring: p.take(packets)} }

func (s *selective) finish(p *pool) {
	p.release(s.ring)
	*s = selective{ring: none}
}

// firstLost returns the first packet to send again; there is one.
func (s *selective) firstLost(p *pool) int32 {
	for *p.word(s.ring, s.first) != packetLost {
		s.first++
	}
	return s.first
}

// receive notes that a packet came, and reports whether it is the first time.
func (s *selective) receive(p *pool, sequence int32) bool {
	word, bit := p.bit(s.ring, sequence)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// takeReceived reports whether a packet came, and forgets it.
func (s *selective) takeReceived(p *pool, sequence int32) bool {
	word, bit := p.bit(s.ring, sequence)
	came := *word&bit != 0
	*word &^= bit
	return came
}

// arm starts the timer of a packet that is sent; a packet that is sent again was lost.
func (t *Transport) arm(now sluice.Time, i, sequence int32, again bool) {
	f, s := &t.flows[i], &t.sends[i]
	if again {
		s.lost--
	}
	timeout := t.config.RTOHigh
	if f.next-f.acked <= t.config.LowPackets {
		timeout = t.config.RTOLow
	}
	s.last = sequence
	end := timerEnd(now.Add(timeout))
	*t.rings.word(s.ring, sequence) = timerWord(end, again)
	f.deadline = min(f.deadline, sluice.Time(end)*sluice.Nanosecond)
}

// answeredSelective takes an answer of a receiver that keeps what comes out of order.
func (t *Transport) answeredSelective(i int32, a Answer) {
	f := &t.flows[i]
	if t.config.Single {
		t.answeredSingle(i, a)
		return
	}
	t.acknowledge(i, a.Expected)
	if a.Kind != Sack || a.Seen <= f.acked {
		return
	}
	if a.Seen >= f.next {
		t.counters.Ignored++
		return
	}
	t.keep(i, a.Seen)
	t.loseBefore(i, a.Seen)
}

// answeredSingle takes an answer that speaks of the packet that came and, if it is a SACK, of the
// gap before it alone.
func (t *Transport) answeredSingle(i int32, a Answer) {
	f, s := &t.flows[i], &t.sends[i]
	if a.Seen < f.acked {
		return
	}
	if a.Seen >= f.next {
		t.counters.Ignored++
		return
	}
	t.keep(i, a.Seen)
	if a.Kind == Sack {
		for sequence := max(a.Expected, f.acked); sequence < a.Seen; sequence++ {
			if *t.rings.word(s.ring, sequence) >= firstEnd {
				t.lose(i, sequence)
			}
		}
	}
	expected := f.acked
	for expected < f.next && *t.rings.word(s.ring, expected) == packetKept {
		expected++
	}
	t.acknowledge(i, expected)
}

// acknowledge takes all packets before one as acknowledged.
func (t *Transport) acknowledge(i, before int32) {
	f, s := &t.flows[i], &t.sends[i]
	for ; f.acked < before; f.acked++ {
		switch *t.rings.word(s.ring, f.acked) {
		case packetLost:
			s.lost--
		case packetKept:
			s.kept--
		}
	}
	s.first = max(s.first, f.acked)
	s.searched = max(s.searched, f.acked)
	if f.acked >= f.packets {
		f.deadline = sluice.Never
	}
}

// keep notes that a packet that is not acknowledged has come.
func (t *Transport) keep(i, sequence int32) {
	s := &t.sends[i]
	word := t.rings.word(s.ring, sequence)
	if *word == packetLost {
		s.lost--
	}
	if *word != packetKept {
		s.kept++
	}
	*word = packetKept
}

// loseBefore finds lost what was sent before a packet that came, each packet once.
func (t *Transport) loseBefore(i, sequence int32) {
	s := &t.sends[i]
	for ; s.searched < sequence; s.searched++ {
		if word := *t.rings.word(s.ring, s.searched); word >= firstEnd && word < sentAgain {
			t.lose(i, s.searched)
		}
	}
}

func (t *Transport) lose(i, sequence int32) {
	f, s := &t.flows[i], &t.sends[i]
	*t.rings.word(s.ring, sequence) = packetLost
	if f.acked >= s.recovery {
		s.recovery = f.next
	}
	s.first = min(s.first, sequence)
	s.lost++
}

func (t *Transport) expireSelective(now sluice.Time, i int32, waiting bool) (timeouts int32) {
	f, s := &t.flows[i], &t.sends[i]
	f.deadline = sluice.Never
	current := int64(now / sluice.Nanosecond)
	for sequence := f.acked; sequence < f.next; sequence++ {
		word := t.rings.word(s.ring, sequence)
		if *word < firstEnd {
			continue
		}
		left := timeLeft(*word, current)
		if left <= 0 && waiting && sequence == s.last {
			left = timerEnd(now.Add(t.config.RTOHigh)) - current
			*word = timerWord(current+left, *word >= sentAgain)
		}
		if left <= 0 {
			t.lose(i, sequence)
			timeouts++
			continue
		}
		f.deadline = min(f.deadline, sluice.Time(current+left)*sluice.Nanosecond)
	}
	return timeouts
}

// timerEnd returns the nanosecond at which a timer ends, rounded up to a nanosecond whose word
// means nothing else.
func timerEnd(t sluice.Time) int64 {
	end := int64((t + sluice.Nanosecond - 1) / sluice.Nanosecond)
	if word := uint32(end) &^ sentAgain; word < firstEnd {
		end += int64(firstEnd - word)
	}
	return end
}

// timerWord is the word of a packet whose timer ends at a nanosecond.
func timerWord(end int64, again bool) uint32 {
	word := uint32(end) &^ sentAgain
	if again {
		word |= sentAgain
	}
	return word
}

// timeLeft returns the nanoseconds from the current nanosecond to the end of a packet's timer.
func timeLeft(word uint32, current int64) int64 {
	return int64(int32((word-uint32(current))<<1) >> 1)
}

// ring is the place of a ring in its pool: where it begins, and its size.
type ring struct {
	at   int32
	log2 int8 // of the number of packets
}

var none = ring{log2: -1}

// pool has the rings of irn in one slice, with the free rings of each size in a list. A ring of n
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
