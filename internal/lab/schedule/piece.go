package schedule

// piece is consecutive operations of a rank as Ranks have them: what they are, which of a schedule
// in memory a piece shares with it, and how far they are.
type piece struct {
	base       int32 // number of the first
	owns       bool  // what it says of operations is its own, and of no schedule in memory
	operations []Operation
	waits      []int32 // for how many ends and starts each waits
	uses       []int32 // how many sends, or receives, its rank has of its peer and tag
	// What waits for the end, and for the start, of an operation i: those from afterAt[i] to
	// afterAt[i+1].
	after, besides     []int32
	afterAt, besidesAt []int32
	places             []int64 // lines, or offsets, in the file; nil of a schedule in memory

	left    []int32  // for how many ends and starts each still waits
	link    []int32  // the next that waits for the same stream
	message []int32  // number of the message within an iteration; none if it is local
	ports   []uint16 // source ports of the messages, if the schedule is read in a window
	undone  int

	released []int32 // see Ranks.Critical
	// the same of receives as they became due; nil if no start is required
	releasedStart []int32
}

// begin prepares what a piece notes.
func (p *piece) begin(starts bool) {
	n := len(p.operations)
	p.left = append(p.left[:0], p.waits...)
	p.link, p.message = resize(p.link, n), resize(p.message, n)
	p.undone = n
	p.released = resize(p.released, n)
	if !starts {
		p.releasedStart = nil // of another job's schedule, whose piece this was
		return
	}
	p.releasedStart = resize(p.releasedStart, n)
}

// resize returns a list of n numbers, whatever they are.
func resize(list []int32, n int) []int32 {
	if cap(list) < n {
		return make([]int32, n)
	}
	return list[:n]
}

// outline is what Ranks know of the operations of a rank before they read them.
type outline struct {
	pieces int
	// needs says of each piece the least operation, counted in the rank, whose start may have one due
	// that is there or in a piece behind; -1 if one is due at once.
	needs []int32
	// lazy says that no receive waits for anything, and nothing for its start: such receives need not
	// be there before their messages.
	lazy bool
}

// outlineOf makes the outline of a rank of pieces of 1<<shift operations. Operations are counted in
// the rank, most is the last that each waits for, -1 for none, and eager says of a receive whether
// anything waits for its start.
func outlineOf(operations []Operation, waits, most []int32, eager []bool, shift uint) outline {
	n := len(operations)
	o := outline{pieces: (n + 1<<shift - 1) >> shift, lazy: true}
	for i := range operations {
		if operations[i].Kind == Recv && (waits[i] > 0 || eager[i]) {
			o.lazy = false
		}
	}
	o.needs = make([]int32, o.pieces)
	least := int32(n)
	for i := n - 1; i >= 0; i-- {
		if !o.lazy || operations[i].Kind != Recv {
			least = min(least, most[i])
		}
		o.needs[i>>shift] = least
	}
	return o
}
