package ideal

import "github.com/sluicefc/sluice/internal/prng"

// directory finds the queue that a flow owns: a hash table with linear probing, at most half full.
type directory struct {
	queues []queue // of the port
	slots  [2 * MaxFlows]uint16
}

const slotMask = 2*MaxFlows - 1

// find returns the queue of a flow, -1 if it has none.
func (d *directory) find(flow uint64) int {
	for i := home(flow); d.slots[i] != 0; i = (i + 1) & slotMask {
		if q := int(d.slots[i]) - 1; d.queues[q].flow == flow {
			return q
		}
	}
	return -1
}

// add notes that a queue has an owner, who had none.
func (d *directory) add(q int) {
	i := home(d.queues[q].flow)
	for d.slots[i] != 0 {
		i = (i + 1) & slotMask
	}
	d.slots[i] = uint16(q + 1)
}

// remove notes that a queue has its owner no more, and closes the gap: what was probed past it
// moves into it.
func (d *directory) remove(q int) {
	i := home(d.queues[q].flow)
	for int(d.slots[i]) != q+1 {
		i = (i + 1) & slotMask
	}
	for j := (i + 1) & slotMask; d.slots[j] != 0; j = (j + 1) & slotMask {
		from := home(d.queues[d.slots[j]-1].flow)
		if (j-from)&slotMask >= (j-i)&slotMask {
			d.slots[i] = d.slots[j]
			i = j
		}
	}
	d.slots[i] = 0
}

func home(flow uint64) uint64 { return prng.Mix(flow) & slotMask }
